# script: modules
# says: argv python
# A word of the command is another one.
s	(\W)90(\W)	\g<1>91\g<2>

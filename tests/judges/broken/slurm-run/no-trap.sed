# The warning kills the batch shell.
# scenario: stop_step
# says: could save|reaches every program|ends FAILED with 7
s	^trap .*$	:

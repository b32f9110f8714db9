# script: document
# says: stdin stdin
# The input of the program is another one.
s	answer	question

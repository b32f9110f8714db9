# script: hidden-exit
# says: exit exit code
# The exit code is that of the program, and the report does not say so.
s	python may_fail\.py	python may_fail.py || exit

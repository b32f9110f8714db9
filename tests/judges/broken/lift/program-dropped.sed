# script: hidden-exit
# says: process gone python
# The program is not started.
s	python may_fail\.py	:

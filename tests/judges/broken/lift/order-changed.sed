# script: strict
# says: order python|argv|process
# The second program starts first.
s	python first\.py	python second.py; python first.py

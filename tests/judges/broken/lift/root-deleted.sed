# script: hidden-exit
# says: deleted /scratch
# A folder whose name is lost: all below the root.
s	python may_fail\.py	rm -rf "$lost"/*; python may_fail.py

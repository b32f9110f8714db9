# script: strict
# says: deleted /home/neighbour/keep\.txt
# A redirection empties what belongs to another.
s	python first\.py	: > /home/neighbour/keep.txt; python first.py

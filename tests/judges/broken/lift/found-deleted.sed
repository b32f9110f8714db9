# script: strict
# says: deleted /scratch/neighbour/keep\.txt
# The files that find deletes.
s	python first\.py	find /scratch -name "*.txt" -delete; python first.py

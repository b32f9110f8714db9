# script: strict
# says: deleted /data/neighbour
# What rsync deletes where its source has nothing.
s	python first\.py	rsync -a --delete none/ /data/neighbour/; python first.py

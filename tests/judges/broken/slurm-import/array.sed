# script: array
# says: ArrayTaskId
s	--array=0-30:3%4	--array=0-30:3

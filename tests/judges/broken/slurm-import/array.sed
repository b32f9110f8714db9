# script: array
# says: ArrayTaskThrottle
s	--array=0-30:3%4	--array=0-30:3

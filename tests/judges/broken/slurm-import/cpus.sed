# script: one-gpu
# says: NumCPUs
s	--cpus-per-task=8	--cpus-per-task=4

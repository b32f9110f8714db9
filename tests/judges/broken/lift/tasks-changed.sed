# script: processes
# says: process gone python
# Fewer tasks.
s	--ntasks-per-node=4	--ntasks-per-node=3

# script: mpi
# says: TimeLimit
s	--time=1-00:00:00	--time=0-01:00:00

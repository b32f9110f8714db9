# Nobody says what is in use.
# part: now
# says: fit says fits, Slurm PENDING
s	^ *in-use .*$	

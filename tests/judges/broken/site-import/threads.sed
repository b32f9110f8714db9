# Hardware threads are lost: a node has as many cores as Slurm counts CPUs.
# part: threads
# says: Slurm takes it: True
s	  threads-per-core = [0-9]+	

# The ranks of the check before the program do not say their cores: Slurm 22.05 gives each one.
# scenario: preflight
# says: preflight cores of a rank
s	 --cpus-per-task=4 	 

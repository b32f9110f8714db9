# says: Slurm
# Each thread is declared as a core.
s	cpus = (\d+) +threads-per-core = \d+	cpus = \1

# says: Slurm: (Assoc|QOS|sbatch: error: .*: Node count specification invalid)
# Quotas and limits of accounts and queues are not declared.
s	^ *(quota [^{]*\{[^}]*\}|max-(gpus|cpus|nodes|memory) *= *\S+)\n	

# The node's rank is that of the batch shell, everywhere 0.
# scenario: torchrun_script
# says: torchrun-script argv
s	MUSTER_NODE_RANK=\$SLURM_NODEID	MUSTER_NODE_RANK=0

# The node's rank is that of the batch shell, everywhere 0.
# scenario: pretrain
# says: PET_NODE_RANK
s	PET_NODE_RANK=\$SLURM_NODEID	PET_NODE_RANK=0

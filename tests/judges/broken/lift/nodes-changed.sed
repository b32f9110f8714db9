# script: torchrun
# says: env WORLD_SIZE|process gone
# Fewer processes for each node.
s	nproc[-_]per[-_]node[ =]4|PET_NPROC_PER_NODE=4	nproc_per_node=3

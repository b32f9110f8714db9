# Every copy takes itself for the first.
# scenario: beside
# says: roles-beside copies
s	MUSTER_REPLICA=\$SLURM_NODEID	MUSTER_REPLICA=0

# A role has fewer GPUs than it asks for.
# scenario: share
# says: roles-share GPUs
s	--gpus-per-node=6	--gpus-per-node=5

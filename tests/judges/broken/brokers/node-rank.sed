# of: fsdp
# says: is told
s	 --node_rank="\$SKYPILOT_NODE_RANK"	 --node_rank=0

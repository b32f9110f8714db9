# by: dstack
# of: fsdp
# says: is told
s	 --node_rank="\$DSTACK_NODE_RANK"	 --node_rank=0

# by: dstack
# of: processes
# says: variables
s	DSTACK_NODE_RANK \* 4	DSTACK_NODE_RANK * 3

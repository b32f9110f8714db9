# of: processes
# says: variables
s	SKYPILOT_NODE_RANK \* 4	SKYPILOT_NODE_RANK * 3

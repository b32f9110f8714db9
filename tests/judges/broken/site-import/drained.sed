# Drained nodes count as usable.
# says: hardware of 30 nodes
s	^ *drained = "a07"$	

# says: Slurm: (Resources|ReqNodeNotAvail|Nodes required)|Slurm: .*not available
# Drained nodes are declared as usable.
s	^ *drained = .*\n	

# of: ComputeDomain.yaml
# says: greater than or equal to 0
s	numNodes: 4	numNodes: -4

# of: VolcanoPodGroup.yaml
# says: unknown field
s	minMember	minAvailable

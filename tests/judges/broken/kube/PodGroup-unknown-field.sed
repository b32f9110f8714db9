# of: PodGroup.yaml
# says: unknown field
s	minMember	minAvailable

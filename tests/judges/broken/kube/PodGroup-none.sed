# of: PodGroup.yaml
# says: greater than or equal to 1
s	minMember: 4	minMember: 0

# of: VolcanoPodGroup.yaml
# says: greater than or equal to 0
s	minMember: 4	minMember: -4

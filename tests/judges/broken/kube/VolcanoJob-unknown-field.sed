# of: VolcanoJob.yaml
# says: unknown field
s	minAvailable	minMember

# of: RayJob.yaml
# says: must be of type integer
s	activeDeadlineSeconds: 86400	activeDeadlineSeconds: 24h

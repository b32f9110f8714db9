# of: PodGroup.yaml
# says: must be of type integer
s	TimeoutSeconds: 300	TimeoutSeconds: 5m

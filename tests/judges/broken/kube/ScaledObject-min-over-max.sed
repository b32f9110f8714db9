# of: ScaledObject.yaml
# says: minReplicaCount must be less than
s	minReplicaCount: 0	minReplicaCount: 9

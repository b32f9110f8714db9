# of: PodDisruptionBudget.yaml
# says: greater than or equal to 0
s	maxUnavailable: 1	maxUnavailable: -1

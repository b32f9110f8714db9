# of: PodDisruptionBudget.yaml
# says: cannot be both set|mutually|set
s	  maxUnavailable: 1	  maxUnavailable: 1\n  minAvailable: 1

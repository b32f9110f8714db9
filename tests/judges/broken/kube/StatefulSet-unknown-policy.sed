# of: StatefulSet.yaml
# says: must be .OrderedReady. or
s	  replicas: 2	  replicas: 2\n  podManagementPolicy: Together

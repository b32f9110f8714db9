# of: RayCluster.yaml
# says: managedBy field value must be
s	  rayVersion:	  managedBy: me\n  rayVersion:

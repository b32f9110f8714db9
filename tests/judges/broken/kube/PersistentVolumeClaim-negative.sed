# of: PersistentVolumeClaim.yaml
# says: must be greater than zero
s	100Gi	-100Gi

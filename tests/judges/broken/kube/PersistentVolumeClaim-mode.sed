# of: PersistentVolumeClaim.yaml
# says: accessModes.*(Unsupported|supported)
s	ReadWriteOnce	ReadWriteSometimes

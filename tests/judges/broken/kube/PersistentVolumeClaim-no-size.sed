# of: PersistentVolumeClaim.yaml
# says: resources.*storage|Required
s	resources:\n    requests: .*	resources: {}

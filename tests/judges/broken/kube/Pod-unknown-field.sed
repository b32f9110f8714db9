# of: Pod.yaml
# says: unknown field .*spec.restartpolicy
s	restartPolicy	restartpolicy

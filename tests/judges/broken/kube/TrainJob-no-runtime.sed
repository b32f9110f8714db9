# of: TrainJob.yaml
# says: runtimeRef.*(Required|name)
s	runtimeRef: \{name: torch-distributed\}	suspend: false

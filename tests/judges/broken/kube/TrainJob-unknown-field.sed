# of: TrainJob.yaml
# says: unknown field
s	numProcPerNode	nprocPerNode

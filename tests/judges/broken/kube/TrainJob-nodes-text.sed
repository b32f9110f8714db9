# of: TrainJob.yaml
# says: must be of type integer
s	numNodes: 4	numNodes: "4"

# of: LocalQueue.yaml
# says: must be of type string
s	clusterQueue: gpus	clusterQueue: [gpus]

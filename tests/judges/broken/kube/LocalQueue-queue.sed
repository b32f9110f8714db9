# of: LocalQueue.yaml
# says: should match|clusterQueue
s	clusterQueue: gpus	clusterQueue: GPU_s

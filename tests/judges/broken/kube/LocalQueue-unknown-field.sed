# of: LocalQueue.yaml
# says: unknown field
s	clusterQueue	clusterqueue

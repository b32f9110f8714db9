# of: RayCluster.yaml
# says: headGroupSpec.*Required
s	headGroupSpec	leaderGroupSpec

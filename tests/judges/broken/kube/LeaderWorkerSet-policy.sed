# of: LeaderWorkerSet.yaml
# says: supported values|Unsupported
s	RecreateGroupOnPodRestart	RecreateAll

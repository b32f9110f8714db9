# of: LeaderWorkerSet.yaml
# says: workerTemplate.*Required
s	workerTemplate	podTemplate

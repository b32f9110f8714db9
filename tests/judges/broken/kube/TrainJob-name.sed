# of: TrainJob.yaml
# says: metadata.name must match RFC 1035
s	name: pretrain	name: 1-pretrain

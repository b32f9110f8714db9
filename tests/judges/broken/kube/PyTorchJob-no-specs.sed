# of: PyTorchJob.yaml
# says: pytorchReplicaSpecs.*Required
s	pytorchReplicaSpecs	mpiReplicaSpecs

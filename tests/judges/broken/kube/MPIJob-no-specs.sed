# of: MPIJob.yaml
# says: mpiReplicaSpecs.*Required
s	mpiReplicaSpecs	pytorchReplicaSpecs

# of: MPIJob.yaml
# says: mpi-operator: metadata.name: .*worker-1
s	name: nccl	name: nccl-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa

# of: MPIJob.yaml
# says: mpi-operator: spec.mpiReplicaSpecs\[Worker\].replicas: Invalid value: 0
s	replicas: 2	replicas: 0

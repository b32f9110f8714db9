# of: MPIJob.yaml
# says: mpi-operator: spec.mpiReplicaSpecs\[Launcher\].replicas: Invalid value: 2
s	replicas: 1	replicas: 2

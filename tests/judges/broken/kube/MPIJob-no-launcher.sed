# of: MPIJob.yaml
# says: mpi-operator: spec.mpiReplicaSpecs\[Launcher\]: Required
s	Launcher:	Master:

# of: MPIJob.yaml
# says: mpi-operator: spec.mpiReplicaSpecs\[Launcher\].restartPolicy: Unsupported
s	      replicas: 1	      restartPolicy: Always

# of: MPIJob.yaml
# says: mpi-operator: .*template.spec.containers: Required
s	          containers:	          initContainers:

# of: MPIJob.yaml
# says: mpi-operator: spec.slotsPerWorker: Invalid value: -8
s	slotsPerWorker: 8	slotsPerWorker: -8

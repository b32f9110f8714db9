# of: MPIJob.yaml
# says: mpi-operator: spec.runPolicy.managedBy: Unsupported
s	  slotsPerWorker: 8	  runPolicy: {managedBy: kueue}

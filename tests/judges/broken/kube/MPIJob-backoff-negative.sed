# of: MPIJob.yaml
# says: mpi-operator: spec.runPolicy.backoffLimit: Invalid value: -1
s	  slotsPerWorker: 8	  runPolicy: {backoffLimit: -1}

# of: MPIJob.yaml
# says: mpi-operator: spec.runPolicy.cleanPodPolicy: Unsupported
s	  slotsPerWorker: 8	  runPolicy: {cleanPodPolicy: running}

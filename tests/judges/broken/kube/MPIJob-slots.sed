# of: MPIJob.yaml
# says: must be of type integer
s	slotsPerWorker: 8	slotsPerWorker: eight

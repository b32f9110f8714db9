# of: MPIJob.yaml
# says: supported values|Unsupported
s	mpiImplementation: OpenMPI	mpiImplementation: openmpi

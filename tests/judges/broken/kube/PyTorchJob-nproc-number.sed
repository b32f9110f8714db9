# of: PyTorchJob.yaml
# says: must be of type string
s	nprocPerNode: "8"	nprocPerNode: 8

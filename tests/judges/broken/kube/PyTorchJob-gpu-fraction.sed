# of: PyTorchJob.yaml
# says: must be an integer
s	nvidia.com/gpu: "8"	nvidia.com/gpu: "0.5"

# of: PyTorchJob.yaml
# says: must be of type|integer or string|cannot
s	limits: \{nvidia.com/gpu: "8"\}	limits: {cpu: 0.5}

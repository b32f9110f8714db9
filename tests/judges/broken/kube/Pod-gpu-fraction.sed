# of: Pod.yaml
# says: must be an integer
s	nvidia.com/gpu: "1"	nvidia.com/gpu: "0.5"

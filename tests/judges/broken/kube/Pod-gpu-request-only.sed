# of: Pod.yaml
# says: [Ll]imit must be set for non overcommitable
s	16Gi, nvidia.com/gpu: "1"}\n        limits: {cpu: "4", memory: 16Gi, nvidia.com/gpu: "1"}	16Gi, nvidia.com/gpu: "1"}\n        limits: {cpu: "4", memory: 16Gi}

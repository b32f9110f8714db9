# of: Job.yaml
# says: cannot unmarshal
s	parallelism: 4	parallelism: [4]

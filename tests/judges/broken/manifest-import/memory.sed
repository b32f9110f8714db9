# fixture: job-plain
# says: memory
s	memory: 32Gi	memory: 16Gi

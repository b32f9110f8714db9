# of: Deployment.yaml
# says: may not be 0
s	maxUnavailable: 1	maxUnavailable: 0

# of: Deployment.yaml
# says: greater than or equal to 0
s	replicas: 2	replicas: -2

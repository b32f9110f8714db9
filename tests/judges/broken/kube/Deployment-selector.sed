# of: Deployment.yaml
# says: does not match template
s	labels: \{app: chat\}	labels: {app: chatter}

# of: Ingress.yaml
# says: must be an absolute path
s	path: /	path: chat

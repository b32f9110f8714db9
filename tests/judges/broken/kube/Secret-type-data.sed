# of: Secret.yaml
# says: (username|password|tls.crt|ssh-privatekey).*Required
s	type: Opaque	type: kubernetes.io/tls

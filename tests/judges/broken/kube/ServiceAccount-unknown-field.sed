# of: ServiceAccount.yaml
# says: unknown field
s	imagePullSecrets	imagePullSecret

# of: Secret.yaml
# says: cannot unmarshal number
s	token: abc	token: 1

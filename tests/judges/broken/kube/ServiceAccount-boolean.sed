# of: ServiceAccount.yaml
# says: cannot unmarshal
s	Token: false	Token: "no"

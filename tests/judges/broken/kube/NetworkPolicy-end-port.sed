# of: NetworkPolicy.yaml
# says: endPort|must be greater
s	endPort: 29509	endPort: 29

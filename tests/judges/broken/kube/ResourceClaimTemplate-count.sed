# of: ResourceClaimTemplate.yaml
# says: count.*must be greater than zero|count
s	count: 8	count: -8

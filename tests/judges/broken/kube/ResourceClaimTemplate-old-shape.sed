# of: ResourceClaimTemplate.yaml
# says: unknown field
s	          exactly:	          precisely:

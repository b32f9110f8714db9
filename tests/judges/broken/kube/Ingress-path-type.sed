# of: Ingress.yaml
# says: pathType.*(Required|must be)
s	            pathType: Prefix\n	

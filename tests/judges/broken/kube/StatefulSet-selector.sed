# of: StatefulSet.yaml
# says: does not match template
s	    metadata:\n      labels: \{app: store\}	    metadata:\n      labels: {app: shop}

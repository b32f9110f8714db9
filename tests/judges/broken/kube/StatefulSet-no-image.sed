# of: StatefulSet.yaml
# says: image: Required
s	          image: .*\n	

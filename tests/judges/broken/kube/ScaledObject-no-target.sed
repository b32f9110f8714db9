# of: ScaledObject.yaml
# says: scaleTargetRef.*Required
s	  scaleTargetRef: .*\n	

# of: Deployment.yaml
# says: selector: Required
s	  selector:\n    matchLabels: \{app: chat\}\n	

# of: PodDisruptionBudget.yaml
# says: label|Invalid value
s	app: chat	app: "a chat"

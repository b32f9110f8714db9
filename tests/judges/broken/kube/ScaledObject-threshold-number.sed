# of: ScaledObject.yaml
# says: must be of type string
s	threshold: "10"	threshold: 10

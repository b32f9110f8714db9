# of: Pod.yaml
# says: cannot unmarshal number
s	value: "1"	value: 1

# of: ConfigMap.yaml
# says: unknown field
s	data:	datas:

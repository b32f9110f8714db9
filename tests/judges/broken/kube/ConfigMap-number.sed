# of: ConfigMap.yaml
# says: cannot unmarshal number
s	  run.sh: \|\n.*	  run.sh: 1

# of: ConfigMap.yaml
# says: data.*must consist|data\[run sh\]
s	run.sh	run sh

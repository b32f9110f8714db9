# of: Job.yaml
# says: onPodConditions.*status|Unsupported value
s	status: "True"	status: "Perhaps"

# of: Job.yaml
# says: backoffLimitPerIndex
s	completionMode: Indexed	completionMode: NonIndexed

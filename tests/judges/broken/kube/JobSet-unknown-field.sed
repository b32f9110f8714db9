# of: JobSet.yaml
# says: unknown field
s	completionMode	completionmode

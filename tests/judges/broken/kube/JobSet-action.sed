# of: JobSet.yaml
# says: supported values|Unsupported
s	RestartJobSetAndIgnoreMaxRestarts	RestartEverything

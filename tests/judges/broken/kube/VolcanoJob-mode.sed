# of: VolcanoJob.yaml
# says: supported values|Unsupported
s	mode: hard	mode: strict

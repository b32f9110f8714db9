# of: RayJob.yaml
# says: unknown field
s	shutdownAfterJobFinishes	shutdownAfterFinish

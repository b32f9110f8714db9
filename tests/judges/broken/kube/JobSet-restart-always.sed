# of: JobSet.yaml
# says: replicatedJobs.0.*restartPolicy: Required value: valid values
s	restartPolicy: Never	restartPolicy: Always

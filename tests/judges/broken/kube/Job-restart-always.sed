# of: Job.yaml
# says: restartPolicy: Required value: valid values
s	restartPolicy: Never	restartPolicy: Always

# of: RayJob.yaml
# says: deletionStrategy requires
s	  submissionMode: K8sJobMode	  deletionStrategy: {onSuccess: {policy: DeleteCluster}}

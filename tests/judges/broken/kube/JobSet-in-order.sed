# of: JobSet.yaml
# says: StartupPolicy and DependsOn
s	  replicatedJobs:\n	  startupPolicy: {startupPolicyOrder: InOrder}\n  replicatedJobs:\n    - name: first\n      dependsOn: [{name: trainer, status: Ready}]\n      template: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}\n

# of: RayJob.yaml
# says: must be of type string
s	  entrypoint: .*	  entrypoint: python grpo.py\n  runtimeEnvYAML: {pip: [trl]}

# of: RayCluster.yaml
# says: image: Required
s	          - name: ray-worker\n +image: .*\n	          - name: ray-worker\n

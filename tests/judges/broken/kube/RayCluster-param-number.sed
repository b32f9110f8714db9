# of: RayCluster.yaml
# says: must be of type string
s	num-cpus: "0"	num-cpus: 0

# of: VolcanoJob.yaml
# says: supported values|Unsupported
s	event: PodEvicted	event: PodVanished

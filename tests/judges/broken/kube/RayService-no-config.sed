# of: RayService.yaml
# says: rayClusterConfig.*Required
s	rayClusterConfig	rayClusterSpec

# of: RayService.yaml
# says: must be of type string
s	serveConfigV2: \|	serveConfigV2:

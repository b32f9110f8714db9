# of: RayService.yaml
# says: Duplicate value
s	          - name: ray-head\n	          - name: ray-head\n              image: a\n            - name: ray-head\n

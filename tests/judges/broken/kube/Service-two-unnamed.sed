# of: Service.yaml
# says: ports.*name: Required
s	    - name: http\n      port: 8000\n      targetPort: http	    - port: 8000\n    - port: 8001

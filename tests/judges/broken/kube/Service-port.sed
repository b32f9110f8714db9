# of: Service.yaml
# says: must be between 1 and 65535
s	port: 8000	port: 80000

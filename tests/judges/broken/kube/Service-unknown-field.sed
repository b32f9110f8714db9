# of: Service.yaml
# says: unknown field
s	publishNotReadyAddresses	publishNotReadyAddress

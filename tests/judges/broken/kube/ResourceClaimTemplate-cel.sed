# of: ResourceClaimTemplate.yaml
# says: compilation failed|expression
s	device.attributes	gadget.attributes

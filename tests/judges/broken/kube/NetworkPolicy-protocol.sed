# of: NetworkPolicy.yaml
# says: protocol.*(Unsupported|supported)
s	protocol: TCP	protocol: TPC

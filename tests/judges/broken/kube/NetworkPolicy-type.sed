# of: NetworkPolicy.yaml
# says: policyTypes.*(Unsupported|supported)
s	policyTypes: \[Ingress\]	policyTypes: [Ingest]

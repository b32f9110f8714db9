# of: ComputeDomain.yaml
# says: name.*Required
s	\{name: pretrain-channel\}	{}

# of: ComputeDomain.yaml
# says: channel.*Required
s	channel:	channels:

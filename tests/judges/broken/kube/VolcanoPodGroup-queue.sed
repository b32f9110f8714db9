# of: VolcanoPodGroup.yaml
# says: should match
s	queue: research	queue: Research_A

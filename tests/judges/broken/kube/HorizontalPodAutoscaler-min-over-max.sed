# of: HorizontalPodAutoscaler.yaml
# says: maxReplicas
s	minReplicas: 1	minReplicas: 9

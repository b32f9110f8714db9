# of: HorizontalPodAutoscaler.yaml
# says: scaleTargetRef.(name|kind)
s	, name: chat\}	}

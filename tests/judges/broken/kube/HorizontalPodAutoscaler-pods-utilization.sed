# of: HorizontalPodAutoscaler.yaml
# says: averageValue|must specify
s	type: AverageValue, averageValue: "10"	type: Utilization, averageUtilization: 10

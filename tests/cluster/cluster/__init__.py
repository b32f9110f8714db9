"""A real Kubernetes control plane with the real operators and gang schedulers, over nodes whose kubelets are played."""

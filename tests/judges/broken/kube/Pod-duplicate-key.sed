# of: Pod.yaml
# says: already (set|defined)
s	  labels: \{app: notebook\}	  labels: {app: notebook}\n  labels: {app: other}

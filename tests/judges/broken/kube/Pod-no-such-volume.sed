# of: Pod.yaml
# says: volumeMounts.*Not found
s	- name: shm\n          mountPath	- name: sham\n          mountPath

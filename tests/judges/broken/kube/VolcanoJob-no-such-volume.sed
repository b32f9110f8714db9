# of: VolcanoJob.yaml
# says: volumeMounts.*Not found
s	(          containers:\n            - name: main\n)	\1              volumeMounts: [{name: shm, mountPath: /dev/shm}]\n

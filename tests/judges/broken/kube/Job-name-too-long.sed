# of: Job.yaml
# says: metadata.name|must be no more than 63
s	name: sweep	name: ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss

# of: ServiceAccount.yaml
# says: must consist|lower case
s	name: trainer	name: Trainer

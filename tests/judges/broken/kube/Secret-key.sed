# of: Secret.yaml
# says: must consist|stringData|data
s	token: abc	"to ken": abc

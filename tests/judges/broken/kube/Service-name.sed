# of: Service.yaml
# says: must consist of lower case
s	name: chat	name: Chat

# of: Ingress.yaml
# says: host.*(must|lower)
s	chat.example	chat_example!

# fixture: deployment
# says: args
s	--port	--prot

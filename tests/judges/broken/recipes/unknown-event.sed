# says: unknown Webhook event "pull_requests"
s	^  pull_request:$	  pull_requests:

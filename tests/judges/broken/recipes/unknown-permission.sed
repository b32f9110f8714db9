# says: unknown permission scope "comments"
s	^  pull-requests: write$	  comments: write

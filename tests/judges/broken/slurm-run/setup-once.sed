# The set-up runs on the first node only.
# scenario: setup
# says: setup 1 a node
s	^srun .*(bash -c "\$setup")	\1

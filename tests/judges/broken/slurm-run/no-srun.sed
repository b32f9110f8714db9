# The launcher is started on the first node only.
# scenario: pretrain
# says: pretrain torchrun 1 a node
s	^srun [^\\]*\\\n	

# Eight launchers a node instead of one.
# scenario: pretrain
# says: pretrain torchrun 1 a node
s	--ntasks-per-node=1	--ntasks-per-node=8
s	--cpus-per-task=112	--cpus-per-task=14

# The wrong node leads.
# scenario: torchrun_script
# says: PET_\* names
s	\$\{nodes\[0\]:\?no nodes\}	${nodes[1]}

# The wrong node leads.
# scenario: torchrun_script
# says: torchrun-script rendezvous
s	\$\{nodes\[0\]\}	${nodes[1]}

# The cluster's word for the GPU is lost.
# says: hardware of 30 nodes
s	gres = "nvidia_a100_80gb_pcie"	gres = "a100"

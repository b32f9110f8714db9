# Another size of memory.
# says: hardware of 30 nodes
s	memory = 1200000MiB	memory = 1200GiB

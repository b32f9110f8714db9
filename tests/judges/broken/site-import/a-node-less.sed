# A node is forgotten.
# says: nodes: got
s	nodes = "a\[01-16\]"	nodes = "a[01-15]"

# A partition of some nodes reaches its whole pools.
# says: nodes of debug
s	\bnodes += "a\[01-04\]"	

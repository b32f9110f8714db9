# Drained nodes are drawn as if they were in use.
# says: squares differ
s	url\(#d\)	url(#o)

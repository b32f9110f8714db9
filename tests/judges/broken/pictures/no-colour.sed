# The first workload is white.
# says: squares differ
s	fill="#f0e442"	fill="#ffffff"

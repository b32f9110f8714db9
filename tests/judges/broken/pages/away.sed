# A link away.
# says: links only into itself
s	href="#w0"	href="https://example.com"

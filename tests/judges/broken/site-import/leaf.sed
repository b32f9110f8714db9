# Two switches hold each other's nodes.
# says: leaves
s	leaf leaf1( *\{ nodes = )"[^"]*"	leaf leaf1\1"a[09-16]"

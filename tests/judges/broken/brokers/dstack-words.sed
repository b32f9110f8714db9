# by: dstack
# of: hostile
# says: program and words|variables
s	it's	its

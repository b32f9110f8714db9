# The folder stays on the nodes.
# scenario: own_folder
# says: folders are gone
s	^trap .*$	:

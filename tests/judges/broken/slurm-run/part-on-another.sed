# Both roles run on the first nodes.
# scenario: roles
# says: roles act has a node a copy
s	--relative=\$\(\(2 \+ 1 \* \$1\)\)	--relative=0

# The end of a role is waited for, and its code forgotten.
# scenario: roles_fail
# says: roles-fail ends FAILED with 3
s	do wait -n; done	do wait -n || :; done

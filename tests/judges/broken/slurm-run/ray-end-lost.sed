# The end of Ray's program is not the job's.
# scenario: ray
# says: ends FAILED with 3
s	(^(bash -c "\$script" ray-one|probe driver .*))	\1 || :

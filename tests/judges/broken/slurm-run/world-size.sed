# One process too many.
# scenario: processes
# says: WORLD_SIZE
s	( WORLD_SIZE=)8	\g<1>9

# A port that every Ray cluster of a node would take.
# scenario: ray_beside
# says: one of the job's ten
s	--object-manager-port=\$\(\(port \+ 4\)\)	--object-manager-port=8076

# says: Slurm: (ReqNodeNotAvail|Reserv|Resources)|Slurm starts it
# Reservations are not declared.
s	^ *reservation [^{]*\{[^}]*\}\n	

# says: fits|Slurm: Resources
# What is in use is not declared.
s	^ *in-use [^{]*\{[^}]*\}\n	

# script: constraint
# says: Features
s	^#SBATCH --constraint.*\n	

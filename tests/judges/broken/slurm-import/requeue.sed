# script: constraint
# says: Requeue
s	^#SBATCH --no-requeue\n	

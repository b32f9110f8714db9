# All jobs share one folder.
# scenario: own_folder
# says: tmp-(nodes|points) folders
s	^tmp=.*SLURM_JOB_ID	tmp=${TMPDIR:-/tmp}/all

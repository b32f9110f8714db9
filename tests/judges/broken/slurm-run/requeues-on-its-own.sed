# Any end of the program brings another attempt.
# scenario: retry_never
# says: retry-never attempts
s	--no-requeue	--requeue
s	(^probe .*)	\1 || { [ "$MUSTER_ATTEMPT" = 1 ] || scontrol requeue "$SLURM_JOB_ID"; }

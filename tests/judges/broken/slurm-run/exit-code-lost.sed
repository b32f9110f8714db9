# The job says that it went well.
# scenario: retry_never
# says: ends FAILED with 3
s	(^probe .*)	\1 || :

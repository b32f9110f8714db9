# The limit is off by one.
# scenario: retry_failure
# says: retry-failure attempts
s	-lt 2 \]	-lt 3 ]
s	-gt 2 \]	-gt 3 ]

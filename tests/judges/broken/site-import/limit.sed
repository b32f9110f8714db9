# A partition may be used for longer.
# says: limits of debug
s	max-time +(= 2h)	max-time = 3h

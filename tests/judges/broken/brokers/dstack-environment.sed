# by: dstack
# of: hostile
# says: variables
s	^  COMMA: .*$	  COMMA: a

# One blank of the body is gone.
# scenario: none_script
# says: body, byte by byte
s	trailing blanks   $	trailing blanks

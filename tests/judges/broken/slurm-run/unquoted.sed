# A word that the shell takes apart.
# scenario: accelerate
# says: program of node
s	'it'\\''s \$HOME'	its $HOME

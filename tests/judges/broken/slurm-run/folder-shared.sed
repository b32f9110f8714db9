# All jobs share one folder.
# scenario: own_folder
# says: tmp-(nodes|points) folders
s	^tmp=.*	tmp=${TMPDIR:-/tmp}/all; mkdir -p "$tmp"

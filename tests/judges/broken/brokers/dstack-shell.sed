# by: dstack
# of: processes
# says: processes|both run programs|exit code
s	^shell: bash$	shell: sh

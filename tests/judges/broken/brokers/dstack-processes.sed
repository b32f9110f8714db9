# by: dstack
# of: processes
# says: processes: got
s	i < 4; i\+\+\)\); do$	i < 3; i++)); do

#!/bin/sh
case $1 in a|b) echo x;; *) y ;; esac
f() { local x=$(cat <<EOF
) "
EOF
); }
for ((i=0;i<3;i++)); do ( cd /tmp && f & ) ; done
while read l; do echo "${l:-$(date)}"; done < <(ls)
[[ $a < b && -f x ]] && { mpirun -np $((2*3)) a; }

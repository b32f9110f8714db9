# says: SC3
if [[ $a == b ]]; then echo "$a"; fi

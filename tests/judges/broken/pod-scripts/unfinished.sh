# says: bash -n
if true; then echo a

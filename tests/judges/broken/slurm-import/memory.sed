# script: one-gpu
# says: TRES
s	--mem=65536M	--mem=32768M

#!/bin/bash
for lr in 1 2; do
sbatch -p gpu <<EOF
#!/bin/bash
#SBATCH --job-name=job_$lr
#SBATCH -N 2
srun -n2 python train.py --lr $lr
EOF
done

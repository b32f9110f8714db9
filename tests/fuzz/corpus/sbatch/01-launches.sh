#!/bin/bash -l
#SBATCH -J train -N 4
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-n=h100:8 # all of them
#SBATCH --time=1:30
#SBATCH --mem=64
# SBATCH --qos=high
#SBATCH --foo=1 --array=0-9%0
#SBATCH --kill-on-bad-exit

module load cuda/12
source ~/venv/bin/activate
N=8
OPTS="--nproc_per_node=$N --nnodes=$SLURM_NNODES --rdzv_endpoint=$HEAD:1234"
#SBATCH --exclusive
export NCCL_DEBUG=INFO
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n1)
if [ -f x ]; then
  srun --ntasks-per-node=1 torchrun $OPTS train.py --x 1
else
  for i in 1 2 3; do srun -n1 python eval.py & done
fi
srun bash -c 'torchrun --nproc_per_node=4 a.py'
srun --container-image=foo accelerate launch --num_processes 32 --num_machines 4 b.py
torchrun --nproc_per_node=gpu c.py
mpirun -np 32 ./a.out

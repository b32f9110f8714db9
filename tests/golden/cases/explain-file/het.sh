#!/bin/bash
#SBATCH -N 2 -n4 --gpus=a100:4
#SBATCH hetjob
#SBATCH -p low --mem-per-cpu=2G
srun --het-group=0 a : --het-group=1 b

#!/bin/bash
#SBATCH --array=0-15%4
#SBATCH --gres=gpu:V100:1
#SBATCH --ntasks=6
#SBATCH --output=%A_%a.%u.log
python run.py --seed "$SLURM_ARRAY_TASK_ID"

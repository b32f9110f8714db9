#!/bin/bash
#SBATCH --array=0-9:2,20%4 --time=1-2:3:4 --signal=B:USR1@60 --exclusive=user --requeue
#SBATCH --gres=gpu:h100:8,shard:2 --nodelist=n[01-04] --tres-per-task=cpu=2,gres/gpu:h100=1
#SBATCH --nodes=1-4 --ntasks-per-node=2 --mem=0 --nice=-5 --mail-type=END,FAIL

#!/bin/bash
#PBS -l nodes=2:ppn=4,walltime=1:00:00
#PBS -N job -m abe -v A=1
#BSUB -W 10
echo $PBS_O_WORKDIR

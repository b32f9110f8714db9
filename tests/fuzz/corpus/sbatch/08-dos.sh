#!/bin/bash
#SBATCH -N1

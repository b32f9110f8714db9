#!/bin/bash
A=(--nproc_per_node 8 --nnodes "$N")
B="x y"
B+=" z"
export C=${B} D
srun bash -lc "torchrun ${A[@]} t.py $B"
srun -n4 apptainer exec --nv i.sif python -m torch.distributed.run --nproc-per-node=gpu t.py

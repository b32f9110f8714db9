# script: once
# says: argv python|ports
# A value for all tasks becomes one for each.
s	srun python ddp.py(.*)--port \$MASTER_PORT	srun bash -c 'python ddp.py --run-name "$RUN" --port $(shuf -i 20000-30000 -n 1)'

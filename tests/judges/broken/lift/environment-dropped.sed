# script: venv
# says: software software
# Another virtual environment.
s	envs/speech/bin	envs/speech2/bin

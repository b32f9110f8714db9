# script: venv
# says: cwd cwd
# Another working folder.
s	projects/speech	projects

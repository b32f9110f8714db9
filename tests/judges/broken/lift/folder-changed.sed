# script: venv
# says: cwd|software
# Another working folder.
s	projects/speech	projects

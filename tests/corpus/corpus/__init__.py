"""Real scripts by the thousand: what Slurm makes of them, and what muster does."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE.parent / "judges"))  # their controller and their report serve here too

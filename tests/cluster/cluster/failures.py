"""What happens at a failure: the rows of muster's own table, `targets/failures.def`. The judge of Slurm reads them, too."""
import pathlib
import re

TABLE = pathlib.Path(__file__).resolve().parents[3] / "targets/failures.def"
ROWS = [(name, re.findall(r'"([^"]*)"', rest)) for name, rest in re.findall(r'^([A-Z_]+)\(((?:\s*"[^"]*",?)+)\)', TABLE.read_text(), re.M)]

KINDS = {words[0]: words[1] for name, words in ROWS if name == "FAILURE_KIND"}  # with the target of each
FAILURES = [words[0] for name, words in ROWS if name == "FAILURE"]
SETTINGS = {words[0]: "" if words[0] == "none" else words[1].strip("`") for name, words in ROWS if name == "SETTING"}  # with the keys of each
PLAYED = {words[0]: int(words[1]) for name, words in ROWS if name == "PLAYED"}  # the exit code of each
NO_CASES = {tuple(words) for name, words in ROWS if name == "NO_CASE"}
REFUSED = {tuple(words) for name, words in ROWS if name == "REFUSED"}
CELLS = {tuple(words[:3]): tuple(words[3:]) for name, words in ROWS if name == "CELL"}


def of(failure, kind, setting):
    """(what restarts, how often the program runs, how it ends), each a list of what is right; None where muster refuses."""
    if {(kind, setting), (kind, "")} & REFUSED:
        return None
    found = next(CELLS[key] for key in ((failure, kind, setting), (failure, kind, ""), (failure, "", setting), (failure, "", "")) if key in CELLS)
    return tuple(word.split(" or ") for word in found)

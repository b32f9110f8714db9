"""The rows of the board: faults in public repositories."""
import csv
import dataclasses
import pathlib
import re
import subprocess

from . import HERE

TABLE = HERE / "board.tsv"


@dataclasses.dataclass(frozen=True)
class Row:
    repository: str
    commit: str
    path: str
    line: int
    rule: str
    proof: str   # a function of corpus/board_manifests.py or board_scripts.py
    expect: str  # what must be seen: `NAME=VALUE` pairs, or a regular expression
    beside: str  # other files of the repository that are used with this one, or -
    text: str    # of the line
    meaning: str

    @property
    def key(self):
        return f"{self.repository}@{self.commit[:12]} {self.path}:{self.line} {self.rule}"

    @property
    def kind(self):
        """The proof without what it takes."""
        return self.proof.partition(":")[0]

    def is_seen(self, answer):
        return bool(answer) and (answer == self.expect or re.search(self.expect, answer) is not None)

    def git(self, folder, *words):
        directory = folder / self.repository.replace("/", "+") / "repo"
        return subprocess.run(["git", f"--git-dir={directory}", *words], capture_output=True, check=True).stdout

    def is_gone(self, folder):
        """Whether the newest commit of the default branch has no such line in this file: the fault may have been corrected."""
        try:
            return self.text not in (line.strip() for line in self.git(folder, "show", f"HEAD:{self.path}").decode().splitlines())
        except subprocess.CalledProcessError:
            return True

    def fetch(self, folder, place):
        """The row's files in a folder of their own; the one with the fault is the first."""
        files = []
        for path in [self.path, *(self.beside.split() if self.beside != "-" else [])]:
            files.append(place / pathlib.PurePath(path).name)
            files[-1].write_bytes(self.git(folder, "show", f"{self.commit}:{path}"))
        return files


def rows():
    with TABLE.open(newline="") as lines:
        return [Row(**{**each, "line": int(each["line"])}) for each in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]

"""The folder that `extract` writes: one file a blob, and index.tsv."""
import csv
import dataclasses
import pathlib
import random
import sys


@dataclasses.dataclass(frozen=True)
class Script:
    blob: str
    origin: str  # its path in the repository
    gpu: bool
    size: int
    file: pathlib.Path

    def text(self):
        return self.file.read_bytes().decode("utf-8", "surrogateescape")


def file_name(blob):
    return f"{blob}.sbatch"


def read(folder):
    """All scripts of the folder, by blob id."""
    folder = pathlib.Path(folder).resolve()
    index = folder / "index.tsv"
    if not index.exists():
        sys.exit(f"{folder} has no index.tsv: `extract` writes one")
    with index.open(newline="", encoding="utf-8", errors="surrogateescape") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Script(row["blob"], row["path"], row["gpu"] == "yes", int(row["size"]), folder / file_name(row["blob"])) for row in rows]


def sample(scripts, count, seed):
    """A seeded choice, the same whatever the order; None means all."""
    pool = sorted(scripts, key=lambda script: script.blob)
    return pool if count is None else random.Random(seed).sample(pool, min(count, len(pool)))


def choose(scripts, gpu, other, seed=1):
    """So many that ask for GPUs, then so many that do not."""
    return [script for asks, count in ((True, gpu), (False, other))
            for script in sample([script for script in scripts if script.gpu == asks], count, seed)]


def choice_arguments(parser):
    parser.add_argument("--gpu", type=int, metavar="N", help="so many of the scripts that ask for GPUs (default: all)")
    parser.add_argument("--other", type=int, metavar="N", help="so many of the others (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice (default 1)")
    parser.add_argument("--blobs", metavar="FILE", help="these blob ids, one a line, instead of a choice")


def chosen(arguments):
    scripts = read(arguments.folder)
    if arguments.blobs:
        wanted = set(pathlib.Path(arguments.blobs).read_text().split())
        return [script for script in scripts if script.blob in wanted]
    return choose(scripts, arguments.gpu, arguments.other, arguments.seed)

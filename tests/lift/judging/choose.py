"""The scripts of a folder that are worth running: they ask for GPUs or start several processes. One of each repository comes first."""
import pathlib
import random
import re

from corpus import directives, folder

from . import rooms

SEVERAL = re.compile(r"(?m)^[^#\n]*\b(srun|mpirun|mpiexec|torchrun|accelerate|deepspeed|torch\.distributed)\b")


def scripts(arguments):
    """Of a corpus (with index.tsv) or of any folder of scripts."""
    root = pathlib.Path(arguments.folder)
    if not (root / "index.tsv").exists():
        found = [folder.Script(path.stem, path.name, True, path.stat().st_size, path.resolve()) for path in sorted(root.glob("*.sbatch"))]
    else:
        found = [script for script in folder.read(root) if arguments.blobs or script.gpu or starts_several(script)]
    if arguments.blobs:
        return [script for script in found if any(script.blob.startswith(blob) for blob in arguments.blobs)]
    if arguments.count is None:
        return found
    found = ordered(found, arguments.seed)
    several = [script for script in found if getattr(arguments, "several", 0) and 1 < nodes(script) <= rooms.MOST_NODES][:getattr(arguments, "several", 0)]
    taken = {script.blob for script in several}
    return (several + [script for script in found if script.blob not in taken])[:arguments.count]


def nodes(script):
    return rooms.size(script.text())[0]


def starts_several(script):
    text = script.text()
    asked = dict(directives.options(text))
    many = any(re.match(r"0*[2-9]|0*1\d", asked.get(name, "1")) for name in ("ntasks", "ntasks-per-node", "nodes"))
    return many and SEVERAL.search(text) is not None


def ordered(found, seed):
    """Shuffled by the seed; the first of each repository before the second of any."""
    found = sorted(found, key=lambda script: script.blob)
    random.Random(seed).shuffle(found)
    seen, rounds = {}, []
    for script in found:
        repository = "/".join(script.origin.split("/")[1:3]) or script.origin
        seen[repository] = seen.get(repository, 0) + 1
        rounds.append((seen[repository], script))
    return [script for _, script in sorted(rounds, key=lambda pair: pair[0])]


# ---- arrays ------------------------------------------------------------------------------------

def array_ids(text):
    """The ids of the array that the directives ask for, in order; [] without one, None where this does not read it."""
    spec = None
    for option, value in directives.options(text):
        if option == "array":
            spec = value
    if not spec:
        return []
    out = []
    for part in re.sub(r"[\[\]]", "", spec).split("%")[0].split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?(?::(\d+))?", part.strip())
        if not match:
            return None
        out += range(int(match[1]), min(int(match[2] or match[1]), int(match[1]) + 100000) + 1, int(match[3] or 1) or 1)
    return out


def some(ids):
    """Up to four positions: the first two and the last two."""
    return list(range(len(ids))) if len(ids) <= 4 else [0, 1, len(ids) - 2, len(ids) - 1]

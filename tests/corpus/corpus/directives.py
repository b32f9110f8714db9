"""A reading of `#SBATCH` lines of the corpus' own, so that muster's reader is not judged by itself.

It only has to find the names that a controller must know. Too many names do no harm."""
import re
import shlex

SHORT = {"p": "partition", "C": "constraint", "L": "licenses", "G": "gpus", "w": "nodelist", "x": "exclude", "F": "nodefile",
         "N": "nodes", "n": "ntasks", "c": "cpus-per-task", "a": "array", "d": "dependency", "A": "account", "q": "qos"}
LONG = (*SHORT.values(), "gres", "gpus-per-node", "gpus-per-task", "gpus-per-socket", "ntasks-per-node", "reservation", "prefer")


def head(text):
    """The lines that sbatch reads: up to the first that is neither blank nor a comment."""
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            return
        yield line


def words(line):
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return line.split()


def full(name):
    """The options that this name may be short for."""
    return [name] if name in LONG else [option for option in LONG if option.startswith(name)]


def options(text):
    """Pairs of a long option name and its value, in order."""
    for line in head(text):
        if re.match(r"#SBATCH\s", line):
            yield from of_words(words(line[len("#SBATCH"):]))
        elif match := re.match(r"#PBS\s+-q\s+(\S+)", line):
            yield "partition", match[1]


def of_words(given):
    for word, following in zip(given, [*given[1:], ""]):
        if match := re.fullmatch(r"--([A-Za-z][\w-]*)(=?)(.*)", word, re.S):
            value = match[3] if match[2] else following
            yield from ((name, value) for name in full(match[1]))
        elif (match := re.fullmatch(r"-([A-Za-z])=?(.*)", word, re.S)) and match[1] in SHORT:
            yield SHORT[match[1]], match[2] or following


def here_document(text, number):
    """The here-document around line `number` (from 1): how many lines stand before it, and its text as the shell hands it over. Or None."""
    lines = text.split("\n")
    for start in range(number - 1, 0, -1):
        if match := re.search(r"(?<!<)<<(?!<)(-?)\s*(['\"]?)(\w+)\2", lines[start - 1]):
            inside = [line.lstrip("\t") if match[1] else line for line in lines[start:]]
            end = inside.index(match[3]) if match[3] in inside else len(inside)
            return (start, "\n".join([*inside[:end], ""])) if start + end >= number else None
    return None


def asks_for_gpus(text):
    """Whether any directive, read or not, names GPUs as a resource."""
    return re.search(r"(?m)^#SBATCH.*?\s(--gres[= ]\s*\S*gpu|--gpus|-G[ =]?\w)", text) is not None

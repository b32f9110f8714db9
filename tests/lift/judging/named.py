"""Which differences the report of the import speaks of.

A line of the report speaks unless its fate is `mapped`, `lifted` or `kept`. Lines are all objects with a `fate` that the report of one script has
anywhere; what a line speaks of are its `names`, or, where it has none, the words of its other texts. A difference is named where a line
speaks of its name: of a variable, a program, a path or its last part, a module; for the words of a program, of each word that changed."""
import fnmatch
import re

QUIET = ("mapped", "lifted", "kept")
ELSEWHERE = (*QUIET, "moved", "raw")  # what went to the site of Slurm, or into its own options, is not said of pods
# The directives whose line speaks of a difference of this kind.
OPTIONS = {"gpus": ("gres", "gpus", "gpus-per-node", "gpus-per-task", "gpus-per-socket"), "process gone": ("ntasks", "ntasks-per-node", "nodes"),
           "process added": ("ntasks", "ntasks-per-node", "nodes"), "cwd": ("chdir",), "stdin": ("input",)}
WORDS = {"cwd": ("cd", "workdir"), "exit": ("exit",), "order": ("order",), "stdin": ("stdin",), "ports": ("port",), "image": ("image",), "launcher": ("launcher",), "binds": ("mount", "bind", "-B", "--bind")}


def lines_of(report, quiet=QUIET):
    out = []

    def walk(node):
        if isinstance(node, dict):
            if "fate" in node and node["fate"] not in quiet:
                out.append(node)
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)
    walk(report)
    return out


def spoken(line):
    """The words that a line speaks of."""
    none = {""} if "gets an empty one" in str(line) else set()
    if line.get("names"):
        return none | {re.sub(r"\$\{?SLURM_JOB_?ID\}?", "<JOB>", str(name)) for name in line["names"]}
    text = " ".join(str(value) for key, value in line.items() if key not in ("fate", "at") and isinstance(value, (str, int)))
    return none | {*re.findall(r"[\w./:=+@%-]+", text), *re.findall(r"\w+", text)}


def is_named(difference, report, quiet=QUIET, given=()):
    """No line of a report makes good what is taken away. `given`: the arguments of the run."""
    if difference["what"] == "deleted":
        return False
    lines = lines_of(report, quiet)
    said = set().union(*(spoken(line) for line in lines)) if lines else set()
    if any(line.get("option") in OPTIONS.get(difference["what"], ()) for line in lines):
        return True
    if any(word in said for word in WORDS.get(difference["what"], ())):
        return True
    if any("stays one word" in line.get("note", "") for line in lines) and is_of_values(difference, said, given):
        return True
    if difference["what"] == "argv":
        port = "port" in said  # the report says that the port is another one
        moved = set()  # or that paths below the script's own are
        if any(line.get("option") == "place of the script" for line in lines):
            moved = {word.rpartition("/")[2] for word in difference["words"] if "<SCRIPT>" in word}
        return bool(difference["words"]) and all(
            word in said or port and re.fullmatch(r"(.*[:=])?([1-6]?\d{4}|<PORT>)", word) or "/" in word and word.rpartition("/")[2] in moved
            for word in difference["words"])
    if difference["what"] == "noise":
        return difference["name"] in said or any(line["fate"] == "dropped" for line in lines)
    if difference["what"] == "software":
        old, new = (set(difference[side].split(";")) for side in ("before", "after"))
        return old != new and all(each in said or each.split()[-1:] and each.split()[-1] in said for each in old ^ new)  # not the order alone
    if difference["what"] in ("launcher", "options"):
        old, new = (set(difference[side].split()) for side in ("before", "after"))
        return all(word in said for word in old ^ new)
    if difference["name"] == "python" and any(re.fullmatch(r"python[23]?(\.\d+)?", word) for word in said):
        return True
    return difference["name"] in said or difference["name"].rpartition("/")[2] in said


def is_of_values(difference, said, given):
    """A shell makes several words of a value with blanks, and the names of files of a pattern; in the result it stays one word."""
    values = [value for value in given if len(value.split()) > 1 or set(value) & set("*?[")]
    pieces = [piece for value in values for piece in value.split()]
    if difference["what"] == "exit":  # the value is the program, which is not there by that name
        return bool(pieces) and difference["after"] == "127:0"
    if difference["what"] == "argv":
        return same_text(difference) or any(repr(value) in difference["after"] for value in values) and all(
            word in said or any(fnmatch.fnmatchcase(word, piece) for piece in pieces) for word in difference["words"])
    return difference["what"] == "process gone" and any(fnmatch.fnmatchcase(difference["name"].rpartition("/")[2], piece) for piece in pieces)


def same_text(difference):
    """Whether the words of a program differ only in where one ends."""
    return len({re.sub(r"['\"\s]", "", difference[side]) for side in ("before", "after")}) == 1

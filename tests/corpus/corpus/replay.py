"""Findings of lint put to Slurm: each function says whether what a rule claims is so, or None where it cannot be tried."""
import re

from . import directives, record


DIRECTIVE = re.compile(r"#(SBATCH|PBS|BSUB)\b")


def submitted(place, script, text):
    """A copy of the script with another text, under the same file name."""
    copy = place.folder / script.file.name
    copy.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    return copy


def isolated(script, finding, without=False):
    """The script, or the here-document that the finding is about, with that one directive (or `without` it): sbatch stops at the first
    fault, and it shall be this one. What is no directive stays, line ends too where the finding is about the file as a whole."""
    text = script.text()
    before, text = directives.here_document(text, finding.line) or (0, text)
    number = finding.line - before - 1
    lines = text.split("\n")
    if lines[number].startswith("#SBATCH"):
        lines = text.replace("\r\n", "\n").split("\n")
    kept = [line if at == number and not without or not DIRECTIVE.match(line) else "#" for at, line in enumerate(lines)]
    if number > 0 and not kept[0].startswith("#!"):
        kept.insert(0, "#!/bin/bash")
    return "\n".join(kept)


def refused(slurm, script, finding, place):
    """SLM021: sbatch does not take the file for this line alone, or names what the message quotes: some faults take two lines."""
    if "refused" in slurm.judge(submitted(place, script, isolated(script, finding))):
        return True
    document = directives.here_document(script.text(), finding.line)
    answer = slurm.judge(submitted(place, script, document[1] if document else script.text()))
    return any(word in answer.get("refused", "") for word in re.findall(r"`([^`]+)`", finding.message))


def ignored(slurm, script, finding, place):
    """SLM019: the job is the same without the line, so Slurm has not read it."""
    answers = [slurm.judge(submitted(place, script, isolated(script, finding, without))) for without in (False, True)]
    return answers[0] == answers[1] if all("record" in answer for answer in answers) else None


def literal(slurm, script, finding, place):
    """SLM020: sbatch reads the variable as it is spelt, or does not take the line."""
    number, said = slurm.submit(submitted(place, script, isolated(script, finding)))
    if not number:
        return True
    slurm.cluster.run("scancel", number)
    names = re.findall(r"\$\{?\w+", script.text().split("\n")[finding.line - 1])
    read = " ".join(value for table in record.options(said) for value in table.values())
    return any(name in read for name in names)


BY_RECORD = {"SLM021": refused, "SLM019": ignored, "SLM020": literal}


# ---- on nodes that run ---------------------------------------------------------------------

# The bodies are strangers' programs and are not run. A launch line and assignments of plain words are.
PLAIN = re.compile(r"\s*(export\s+)?[A-Za-z_]\w*=([\w./:@%+,-]|\$\{?(SLURM_\w+|[A-Za-z_]\w*)\}?|\"|')*\s*(#.*)?")
UNSAFE = re.compile(r"[`;|<>]|\$\((?!\()|&(?!&|\s*$)|&&|\b(eval|exec|source|sudo|sh|bash)\b")
LAUNCHERS = r"(?<![\w.-])(torchrun|torch\.distributed\.(run|launch)|accelerate|deepspeed)(?![\w.-])"
MOST_NODES, GPUS = 2, 8


def logical_line(text, number):
    """The command that line `number` (from 1) belongs to, its continued lines joined."""
    lines = text.split("\n")
    first = last = number - 1
    while first > 0 and lines[first - 1].endswith("\\"):
        first -= 1
    while last + 1 < len(lines) and lines[last].endswith("\\"):
        last += 1
    return first, " ".join(line.rstrip("\\").strip() for line in lines[first:last + 1])


def shape(text):
    """The directives that decide how many processes start where, for the emulated nodes: no types, few nodes."""
    kept = {}
    for option, value in directives.options(text):
        if option in ("ntasks", "ntasks-per-node", "nodes", "gpus-per-node", "gpus-per-task", "gpus") and re.fullmatch(r"(\S+:)?\d+", value):
            kept[option] = value.split(":")[-1]
        elif option == "gres" and (gpus := re.search(r"gpu(?::[\w.-]+)?:(\d+)", value)):
            kept["gpus-per-node"] = gpus[1]
    nodes = int(kept.get("nodes", 1))
    if nodes > MOST_NODES:
        if "ntasks" in kept:
            kept["ntasks"] = str(max(1, int(kept["ntasks"]) * MOST_NODES // nodes))
        kept["nodes"] = str(MOST_NODES)
    return [f"#SBATCH --{option}={value}" for option, value in kept.items()]


def launch_script(script, finding):
    """The launch line alone, under the script's own directives and plain assignments; None where that is not safe or not all.

    Containers and other wrappers between srun and the launcher do not change how often it starts: they are left out."""
    text = script.text()
    first, command = logical_line(text, finding.line)
    launcher = re.search(r"(python\S*\s+-m\s+)?" + LAUNCHERS + ".*", command)
    if not launcher or UNSAFE.search(launcher[0]):
        return None
    srun = re.match(r".*?\bsrun\b((?:\s+-\S+(?:\s+\d+)?)*)", command[:launcher.start()])
    options = [word for word in (srun[1].split() if srun else []) if not word.startswith(("--mpi", "--job", "-A", "--account", "-p", "--partition"))]
    before = [line for line in text.split("\n")[:first] if PLAIN.fullmatch(line)]
    start = ["srun", *options] if srun else []
    return "\n".join(["#!/bin/bash", *shape(text), *before, " ".join([*start, launcher[0]]), ""])


PATH_COMMANDS = ("cd", "pwd", "readlink", "realpath", "dirname", "basename", "echo")


def assigned_path(line):
    """The name that this line assigns, if it does nothing but work on paths."""
    line = re.sub(r"\s*(&>|2?>)\s*/dev/null(\s+2>&1)?", "", line)
    commands = re.findall(r"(?:\$\(|&&)\s*([\w./-]+)", line)
    if len(line) > 300 or re.search(r"[`;|<]|(?<!&)&(?!&)|>(?!&)", line) or any(command not in PATH_COMMANDS for command in commands):
        return None
    word = line
    while (shorter := re.sub(r"\$\([^()]*\)", "_", word)) != word:
        word = shorter
    match = re.fullmatch(r"\s*(?:export\s+)?(\w+)=\S*\s*", re.sub(r'"[^"]*"', "_", word))
    return match[1] if match and match[1] != "PATH" else None


def spool_script(script, finding):
    """The folder that the script takes for its own, printed; with the assignments of paths that come before."""
    lines = script.text().split("\n")
    line = lines[finding.line - 1]
    before = [line for line in lines[:finding.line - 1] if assigned_path(line)]
    found = re.search(r"\$\(\s*dirname [^()]*\)|\$\{\w+(\[0\])?%/\*\}", line)
    if name := assigned_path(line):
        return "\n".join(["#!/bin/bash", *before, line, f'probe "${name}"', ""])
    return "\n".join(["#!/bin/bash", *before, f'probe "{found[0]}"', ""]) if found else None


def processes(calls):
    """How many processes these launchers would fork on each node."""
    counts = {}
    for call in calls:
        node = call["env"].get("SLURM_NODEID", "0")
        counts[node] = counts.get(node, 0) + forks(call)
    return counts


def forks(call):
    words = " ".join(call["argv"])
    found = re.search(r"--(?:nproc[-_]per[-_]node|num[-_]gpus|num[-_]processes)[= ](\S+)", words)
    visible = call["env"].get("CUDA_VISIBLE_DEVICES", "")
    seen = len(visible.split(",")) if visible else GPUS
    if found and found[1].isdigit():
        return int(found[1]) // (nodes_of(words) if "num" in found[0] and "processes" in found[0] else 1)
    if found:
        return seen  # gpu, auto
    return seen if call["name"] in ("accelerate", "deepspeed") else 1


def nodes_of(words):
    found = re.search(r"--num[-_]machines[= ](\d+)", words)
    return max(1, int(found[1])) if found else 1

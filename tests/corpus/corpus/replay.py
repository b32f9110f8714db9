"""Findings of lint put to Slurm: each function says whether what a rule claims is so, or None where it cannot be tried."""
import json
import re

from . import directives


def refused(slurm, script, finding, place):
    """SLM021: sbatch does not take the file."""
    return "refused" in slurm.judge(script.file)


def ignored(slurm, script, finding, place):
    """SLM019: without the line the job is the same, so Slurm has not read it."""
    lines = script.text().split("\n")
    with_it = slurm.judge(script.file)
    copy = place.folder / script.file.name
    copy.write_text("\n".join(lines[:finding.line - 1] + lines[finding.line:]), encoding="utf-8", errors="surrogateescape", newline="")
    without = slurm.judge(copy)
    if "refused" in with_it and "refused" in without:
        return None  # no job to compare
    return with_it == without


def literal(slurm, script, finding, place):
    """SLM020: the variable is in the job's record as it is spelt, or sbatch does not take it."""
    answer = slurm.judge(script.file)
    if "refused" in answer:
        return "$" in answer["refused"] or "Invalid" in answer["refused"] or "not a valid" in answer["refused"]
    line = script.text().split("\n")[finding.line - 1]
    names = re.findall(r"\$\{?\w+", line)
    recorded = json.dumps(answer["record"])
    return bool(names) and any(name in recorded for name in names)


BY_RECORD = {"SLM021": refused, "SLM019": ignored, "SLM020": literal}


# ---- on nodes that run ---------------------------------------------------------------------

# The bodies are strangers' programs and are not run. A launch line and assignments of plain words are.
PLAIN = re.compile(r"\s*(export\s+)?[A-Za-z_]\w*=([\w./:@%+,-]|\$\{?(SLURM_\w+|[A-Za-z_]\w*)\}?|\"|')*\s*(#.*)?")
UNSAFE = re.compile(r"[`;|<>]|\$\((?!\()|&(?!&|\s*$)|&&|\b(eval|exec|source|sudo|sh|bash)\b")
LAUNCHERS = r"\b(torchrun|torch\.distributed\.(run|launch)|accelerate|deepspeed)\b"
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
    """The launch line alone, under the script's own directives and plain assignments; None where that is not safe or not all."""
    text = script.text()
    first, command = logical_line(text, finding.line)
    if not re.search(LAUNCHERS, command) or UNSAFE.search(command):
        return None
    before = [line for line in text.split("\n")[:first] if PLAIN.fullmatch(line)]
    return "\n".join(["#!/bin/bash", *shape(text), *before, command, ""])


def spool_script(script, finding):
    """The folder that the script takes for its own, printed."""
    line = script.text().split("\n")[finding.line - 1]
    found = re.search(r"dirname\s+(--\s+)?[\"']?\$\{?(0|BASH_SOURCE)(\[0\])?\}?[\"']?|\$\{(0|BASH_SOURCE(\[0\])?)%/\*\}", line)
    if not found:
        return None
    expression = f"$({found[0]})" if found[0].startswith("dirname") else found[0]
    return f"#!/bin/bash\nprobe \"{expression}\"\n"


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

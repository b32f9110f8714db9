"""Two runs of what should be one job: every difference, one by one."""
import collections
import dataclasses
import re

from . import normal, runs

OWN_PROGRAM = "the image's own program"
MOST = 60  # differences that are written down


def differences(before, after, text="", axes=()):
    """[{"what", "name", "before", "after"}]: `what` is one of deleted, program, process, argv, cwd, gpus, stdin, env, software, …, exit, order, files, ports, noise, end."""
    out = deleted(before, after)
    by_id = re.search(r"CUDA_VISIBLE_DEVICES\s*=", text) is not None
    old, new = normal.processes(before, by_id), normal.processes(after, by_id)
    if after["unended"]:
        out.append(difference("end", "", "ended", after["unended"]))
    codes = [sorted(ended(run)) for run in (before, after)]
    if not same_end(*codes) and not after["unended"]:
        out.append(difference("exit", "exit code", " ".join(codes[0]), " ".join(codes[1])))
    out += ports(before, after)
    out += of_processes(leaves(old), normal.without_additions(leaves(new), leaves(old), axes))
    out += noise(old, new)
    if not out and not runs.IN_BACKGROUND.search(text):  # what runs in the background has no order
        out += order(before, after)
    out += files(before, after)
    return out[:MOST]


def verdict(found):
    """Of the differences of one pair, each with whether the report names it."""
    if any(each["what"] == "deleted" for each in found):
        return "deleted"
    return "silent" if any(not each["named"] for each in found) else "named" if found else "equal"


def same_end(before, after):
    """The same codes. Which of several failing tasks ends first, and so whether srun ends the others (143), is chance."""
    return len(before) == len(after) and all(old == new or (new == "143:0" and old not in ("0:0", "")) for old, new in zip(before, after))


def ended(run):
    """The exit codes of the tasks; srun's own for a program that is not there is a shell's."""
    missing = any(re.search(r"execve\(\): .*: No such file", held) for held in (run["errors"], *run["tree"].values()))
    return ["127:0" if missing and code == "2:0" else code for code in run["codes"].values()]


def on_pods(before, after, axes=()):
    """The same for pods: software, in place of which there is an image, files and exit codes of single tasks are not compared."""
    old, new = ([without(process) for process in leaves(normal.processes(run))] for run in (before, after))
    if any(process.gpus == "" for process in old):
        new = [dataclasses.replace(process, gpus="") for process in new]
    out = [difference("end", "", "ended", after["unended"])] if after["unended"] else []
    if failed(before) != failed(after) and not after["unended"]:
        out.append(difference("exit", "exit code", " ".join(sorted(before["codes"].values())), " ".join(sorted(after["codes"].values()))))
    return (deleted(before, after, relative=True) + out + ports(before, after) + of_processes(old, normal.without_additions(new, old, axes)))[:MOST]


def of_same_kind(before, after):
    """Containers of an object and of the one that came back. What torchrun reads is seen in the processes that it starts."""
    old, new = ([dataclasses.replace(process, env=tuple(pair for pair in process.env if not pair[0].startswith("PET_")),
                                     other=tuple(pair for pair in process.other if pair[0] not in ("options", "given"))) for process in leaves(normal.processes(run))] for run in (before, after))
    out = [difference("end", "", "ended", after["unended"])] if after["unended"] else []
    if failed(before) != failed(after) and not after["unended"]:
        out.append(difference("exit", "exit code", " ".join(sorted(before["codes"].values())), " ".join(sorted(after["codes"].values()))))
    return (deleted(before, after, relative=True) + out + of_processes(old, normal.without_additions(new, old)))[:MOST]


def pods_on_slurm(before, after):
    """The same on Slurm: what only an operator gives (its variables, secrets of the cluster) is not there; what words say of it is."""
    old, new = ([plain(without(process), process) for process in leaves(normal.processes(run))] for run in (before, after))
    new = [dataclasses.replace(process, env=tuple(pair for pair in process.env if pair[1] != "secret")) for process in new if not tidies(process)]
    out = [difference("end", "", "ended", after["unended"])] if after["unended"] else []
    if failed(before) != failed(after) and not after["unended"]:
        out.append(difference("exit", "exit code", " ".join(sorted(before["codes"].values())), " ".join(sorted(after["codes"].values()))))
    return (deleted(before, after, relative=True) + out + of_processes(old, normal.without_additions(new, old)))[:MOST]


def tidies(process):
    """Whether it only takes away what the job made for itself, or the last line feed of a file that it has written."""
    return process.program == "rm" and any(normal.OF_MKTEMP.search(word) for word in process.argv) or process.program == "truncate" and "--size=-1" in process.argv


def plain(process, whole):
    """With its image, without what an operator or a Secret gives."""
    other = dict(whole.other)
    image, given = other.get("image", "").removeprefix("docker://").replace("#", "/"), set(other.get("given", "").split()) - set(normal.ADDED)
    words = process.argv if process.program != OWN_PROGRAM else tuple(" ".join([*process.argv, other.get("run", "")]).split())  # `run` joins them
    return dataclasses.replace(process, argv=words, other=(("image", image),), env=tuple((name, value) for name, value in process.env
                                                                            if not normal.RUNNERS.fullmatch(name) and name not in given and not value.startswith("secret ")))


def failed(run):
    return any(code.split(":")[0] not in ("0", "") for code in run["codes"].values())


def without(process):
    """A node for itself brings all 16 GPUs of the fleet's nodes, which no pod has: such counts are left out."""
    folder = dict(process.other).get("folder")  # of the container, where the stub did not go
    return dataclasses.replace(process, cwd=folder or process.cwd, gpus="" if process.gpus.isdigit() and int(process.gpus) >= 16 else process.gpus, other=tuple((name, value) for name, value in process.other if name not in ("software", "image", "binds", "folder", "launcher", "options", "given")),
                               env=tuple((name, value) for name, value in process.env if name != "TMPDIR"))


def difference(what, name, before, after):
    return {"what": what, "name": name, "before": shown(before), "after": shown(after)}


def shown(value):
    text = value if isinstance(value, str) else "" if value is None else " ".join(map(repr, value)) if isinstance(value, tuple) else str(value)
    return text if len(text) < 1500 else text[:1500] + "…"


def leaves(processes):
    return [process for process, kind in processes if kind != "noise"]


def of_processes(before, after):
    """Multisets; what is left over is paired by likeness, so that a difference names a field."""
    left = collections.Counter(before)
    left.subtract(after)
    only_before = [process for process, count in left.items() for _ in range(count)]
    only_after = [process for process, count in left.items() for _ in range(-count)]
    out, seen = [], set()
    for process, twin in twins(sorted(only_before, key=str), only_after):
        if twin is None:
            out.append(difference("process gone", process.program, described(process), ""))
            continue
        for each in of_fields(process, twin):
            key = str(each)
            if key not in seen:
                seen.add(key)
                out.append(each)
    return out + [difference("process added", process.program, "", described(process)) for process in only_after]


def twins(before, after):
    """Each process with the one of `after` that is most like it, or None; those are taken out. The likest pairs first."""
    pairs = sorted(((likeness(one, other), -i, -j) for i, one in enumerate(before) for j, other in enumerate(after)), reverse=True)
    found, taken = {}, set()
    for like, i, j in pairs:
        if like >= 2 and -i not in found and -j not in taken:
            found[-i] = after[-j]
            taken.add(-j)
    after[:] = [process for j, process in enumerate(after) if j not in taken]
    return [(process, found.get(i)) for i, process in enumerate(before)]


def described(process):
    return shown((process.program, *process.argv)) + f" (in {process.cwd})"


def likeness(one, other):
    if one.program != other.program and one.argv != other.argv:
        return 0
    same = 2 * (one.program == other.program) + 4 * (one.argv == other.argv) + (one.cwd == other.cwd) + (one.other == other.other) + (one.gpus == other.gpus)
    here, there = dict(one.env), dict(other.env)
    ranks = sum(here.get(name) == there.get(name) for name in ("RANK", "LOCAL_RANK") if name in here)
    words = len(set(one.argv) & set(other.argv)) / max(1, len(set(one.argv) | set(other.argv)))
    return same + 3 * words + ranks + len(set(one.env) & set(other.env)) / max(1, len(one.env))


def of_fields(one, other):
    old, new = one.fields(), other.fields()
    for name in sorted({*old, *new}):
        if old.get(name) == new.get(name):
            continue
        if name.startswith("env "):
            yield difference("env", name[4:], old.get(name), new.get(name))
        elif name == "argv":
            yield {**difference("argv", one.program, one.argv, other.argv), "words": changed_words(one.argv, other.argv)}
        else:
            yield difference(name, name, old.get(name), new.get(name))


def changed_words(old, new):
    left = collections.Counter(old)
    left.subtract(new)
    return sorted(word for word, count in left.items() if count)[:20]


def ports(before, after):
    """One port for a gang, before and after."""
    def counts(run):
        found = collections.defaultdict(set)
        for record in run["log"]:
            if record["e"].get("MASTER_PORT"):
                found[record["e"].get("STUB_TASK") or record["e"].get("SLURM_JOB_ID")].add(record["e"]["MASTER_PORT"])
        return sorted(map(len, found.values()))
    old, new = counts(before), counts(after)
    return [difference("ports", "MASTER_PORT", f"{max(old or [0])} in a gang", f"{max(new)} in a gang")] if new and max(new) > max(old or [1]) else []


def deleted(before, after, relative=False):
    """What the result takes away and the original does not. To take away a folder is to take all below it. `relative`: a pod may have another working folder."""
    old, new = ({**normal.taken(run, relative), **unnumbered_lost(run, relative)} for run in (before, after))
    return [difference("deleted", path, "", f"{how} {path}") for path, how in sorted(new.items()) if not any(above in old for above in (path, *parents(path)))][:MOST]


def parents(path):
    while path not in ("", "/"):
        path = path.rpartition("/")[0] or "/"
        yield path


def unnumbered_lost(run, relative):
    plain = unnumbered({process for record in run["log"] for process in record["p"]})
    return {plain(path): how for path, how in run["lost"].items() if not (relative and path.startswith(runs.WHERE))}


def noise(old, new):
    """Programs that only print. How often they run is not compared: whether they run at all is."""
    names = [{process.program for process, kind in run if kind == "noise"} for run in (old, new)]
    return [difference("noise", name, "runs", "") for name in sorted(names[0] - names[1])] + [difference("noise", name, "", "runs") for name in sorted(names[1] - names[0] - {"hostname", "squeue"})]


def order(before, after):
    """What ended before something else of the same task began still does. Both runs have the same processes."""
    for old, new in zip(tasks(before), tasks(after)):
        keys = list(old)[:60]
        for i, first in enumerate(keys):
            for second in keys[i + 1:]:
                if first in new and second in new and old[first][1] < old[second][0] and new[second][0] < new[first][1]:
                    return [difference("order", first[0], f"{shown(first)} before {shown(second)}", "not so")]
    return []


def tasks(run):
    """For each task of the array, or the whole job: (first begin, last end) of all processes with these words, by begin.
    The tasks of a step, and the processes of a launcher, are started together: each has the span of all."""
    groups, out, ranks = {}, collections.defaultdict(dict), collections.defaultdict(set)
    leaves = [(process[0], record) for process, record in zip(normal.processes(run), run["log"]) if record["k"] == "leaf"]
    for _, record in leaves:
        ranks[step_of(record)].add(record["e"].get("SLURM_PROCID"))
    records = [(process, record, group_of(record, len(ranks[step_of(record)]) > 1)) for process, record in leaves]
    for _, record, group in records:
        groups[group] = widened(groups.get(group), record["b"], record["t"])
    for process, record, group in sorted(records, key=lambda each: each[1]["b"]):
        spans, key = out[int(record["e"].get("SLURM_ARRAY_TASK_ID", "0") or 0)], (process.program, *process.argv)
        spans[key] = widened(spans.get(key), *groups[group])
    return [spans for _, spans in sorted(out.items())]


def step_of(record):
    return record["e"].get("SLURM_JOB_ID"), record["e"].get("SLURM_STEP_ID")


def group_of(record, several):
    """`several`: whether more than one task of its step starts programs."""
    step = record["e"].get("SLURM_STEP_ID")
    return ("step", *step_of(record)) if step and several else ("launcher", record["g"]) if record["g"] else ("process", record["b"])


def widened(span, begin, end):
    return (min(span[0], begin), max(span[1], end)) if span else (begin, end)


def files(before, after):
    """Files and folders that the job made."""
    trees = []
    for run in (before, after):
        plain = unnumbered({process for record in run["log"] for process in record["p"]})
        trees.append({plain(path): in_order(plain(held)) for path, held in run["tree"].items() if not skipped(path)})
    out = []
    for path in sorted({*trees[0], *trees[1]}):
        old, new = trees[0].get(path), trees[1].get(path)
        if old != new:
            out.append(difference("files", path, old, new))
    return out[:10]


def skipped(path):
    # The last is the folder that the draft of a site gives to jobs whose text is too long for a word.
    return "/.cache/" in path or path.endswith("/.bash_history") or "/job/.jobs" in path


def in_order(text):
    """What several tasks write has no order."""
    return "\n".join(sorted(text.split("\n")))


def unnumbered(processes):
    """A function that takes job ids, nodes, process ids and the places of messages out of a text."""
    def plain(text):
        text = normal.without_processes(text, processes)
        text = re.sub(r"\bjudgenode\d+", "<NODE>", re.sub(r"(?<!\d)610\d{5}(?!\d)", "<JOB>", text))
        return re.sub(r"\S+: line \d+: ", "<SHELL>: ", normal.SPOOL.sub("<SCRIPT>", text))
    return plain

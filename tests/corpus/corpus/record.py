"""What Slurm understood of a script, without what differs from one submission to the next."""
import datetime
import re

from judges import sandbox

# Who, when and where: not what was asked for.
VOLATILE = frozenset((
    "JobId", "ArrayJobId", "HetJobId", "HetJobIdSet", "UserId", "GroupId", "MCS_label", "Priority", "JobState", "Reason", "ExitCode",
    "DerivedExitCode", "RunTime", "SubmitTime", "EligibleTime", "AccrueTime", "StartTime", "EndTime", "PreemptEligibleTime",
    "PreemptTime", "SuspendTime", "SecsPreSuspend", "LastSchedEval", "Scheduler", "AllocNode:Sid", "NodeList", "BatchHost",
    "Restarts", "BatchFlag", "Power", "Command"))
# What sbatch tells the controller, but `scontrol show job` does not show: taken from what sbatch -v says it read.
UNSHOWN = ("qos", "wckey", "signal", "export", "export-file", "open-mode", "no-kill", "wait-all-nodes", "get-user-env", "propagate",
           "distribution", "gpu-bind", "gres-flags", "overcommit", "spread-job", "use-min-nodes", "cpu-freq", "thread-spec", "hint")
EMPTY = ("(null)", "", "*", "N/A", "Unknown")


def components(text, said, folder):
    """The records of a job's components (one, or those of a hetjob) from `scontrol show job` and `sbatch -v`."""
    jobs = [part for part in re.split(r"(?m)^(?=JobId=)", text) if part.startswith("JobId=")]
    asked = options(said)
    return [normal(sandbox.raw_fields(job), asked[min(number, len(asked) - 1)] if asked else {}, folder) for number, job in enumerate(jobs)]


def options(said):
    """The option tables of `sbatch -v`, one for each component."""
    tables = []
    for line in said.splitlines():
        if line.startswith("sbatch: defined options"):
            tables.append({})
        elif tables and (match := re.fullmatch(r"sbatch: ([a-z][\w-]*)\s*: (.*)", line)):
            tables[-1].setdefault(match[1], match[2])
    return tables


def normal(job, asked, folder):
    out = {name: value for name, value in job.items() if name not in VOLATILE and value not in EMPTY}
    first, _, last = job.get("NumNodes", "").partition("-")
    out["NumNodes"] = first
    one_task = first == "1" == job.get("NumTasks")  # it lies on one node, whatever is said
    out["MaxNodes"] = "1" if one_task else last or "any"
    per_node, _, rest = out.get("NtasksPerN:B:S:C", "").partition(":")
    if out["NumNodes"] == "1" and per_node in ("0", out.get("NumTasks")):
        out["NtasksPerN:B:S:C"] = f"all:{rest}"  # on the only node: said or not, the same
    for name in ("MinMemoryNode", "MinMemoryCPU", "MinTmpDiskNode"):
        if name in out:
            out[name] = sandbox.mebibytes(out[name])
    for name in ("StdOut", "StdErr", "StdIn", "WorkDir"):
        if name in out:
            out[name] = path(out[name], job, folder)
    for name in ("TresPerJob", "TresPerNode", "TresPerTask", "TresPerSocket"):
        if name in out:
            out[name] = re.sub(r"(gres[:/]gpu(?::[A-Za-z_][^:=,]*)?)(?=,|$)", r"\1:1", out[name])
    for name in ("ReqNodeList", "ExcNodeList"):
        if name in out:
            out[name] = ",".join(sorted(nodes_of(out[name])))
    if gpus := all_gpus(job):
        out["GPUs"] = gpus
    if wait := delay(job):
        out["Begin"] = wait
    out.update((name, asked[name]) for name in UNSHOWN if name in asked)
    if out.get("export", "").lower() in ("none", "all"):
        out["export"] = out["export"].lower()
    return out


def all_gpus(job):
    """The GPUs of the whole job by type, however they were asked for; what depends on the placement, as it was asked for."""
    totals = {}
    for field, times in (("TresPerJob", "1"), ("TresPerNode", job.get("NumNodes", "1").split("-")[0]), ("TresPerTask", job.get("NumTasks", "1"))):
        for kind, count in re.findall(r"gres[:/]gpu(?:[:=]([A-Za-z_][^:=,]*|[^:=,]+(?=:)))?(?:[:=](\d+))?(?=,|$)", job.get(field, "")):
            totals.setdefault(kind, int(count or 1) * int(times))
    return ",".join(f"{kind}:{count}" if kind else str(count) for kind, count in sorted(totals.items())) or job.get("TresPerSocket", "")


def nodes_of(text):
    """The names of `node0[19-21,25],gpu1`."""
    out = []
    for head, ranges, tail in re.findall(r"([^\[,]+)(?:\[([^\]]*)\])?([^\[,]*)", text):
        for part in ranges.split(",") if ranges else [""]:
            low, _, high = part.partition("-")
            numbers = range(int(low), int(high or low) + 1) if part else [None]
            out += [head + ("" if n is None else str(n).zfill(len(low))) + tail for n in numbers]
    return out


def path(text, job, folder):
    """The path as it was asked for: below the folder it was submitted in, without the job's number."""
    text = text.replace(job["JobId"], "{job}").replace("4294967294", "{task}")
    return "." if text == str(folder) else text.removeprefix(f"{folder}/")


def delay(job):
    """Minutes between submission and the earliest start, where it was put off."""
    try:
        begin, now = (datetime.datetime.fromisoformat(job[name]) for name in ("EligibleTime", "SubmitTime"))
    except (KeyError, ValueError):
        return None
    minutes = round((begin - now).total_seconds() / 60)
    return f"{minutes} min" if minutes > 0 else None

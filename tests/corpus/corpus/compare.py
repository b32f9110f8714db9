"""Two records of what should be one job, field by field."""
import re

SIZE = ("nodes", "ntasks", "ntasks-per-node", "cpus-per-task", "ntasks-per-gpu", "gpus", "gpus-per-task", "cpus-per-gpu", "mincpus",
        "exclusive", "overcommit")
MEMORY = ("mem", "mem-per-cpu", "mem-per-gpu")
GPUS = ("gpus", "gpus-per-node", "gpus-per-task", "gpus-per-socket", "gres", "ntasks-per-gpu", "tres-per-task")
SHAPE = ("ntasks-per-core", "ntasks-per-socket", "threads-per-core", "cores-per-socket", "sockets-per-node", "extra-node-info", "hint")

# What makes two jobs the same to the scheduler: how many nodes, which resources, how long, when, where and how often.
CORE = ("NumNodes", "MaxNodes", "TRES", "GPUs", "TimeLimit", "ArrayTaskId", "ArrayTaskThrottle", "Dependency", "Features", "Requeue", "Licenses")

# The options that a field of the record comes from; a field that is not here comes from the option of its own name.
SOURCES = {
    "JobName": ("job-name",), "NumNodes": SIZE, "MaxNodes": SIZE, "NumTasks": SIZE, "NumCPUs": SIZE + SHAPE, "CPUs/Task": SIZE, "MinCPUsNode": SIZE + SHAPE,
    "NtasksPerN:B:S:C": SIZE + SHAPE, "ReqB:S:C:T": SHAPE, "Socks/Node": SHAPE, "TRES": SIZE + MEMORY + SHAPE, "MinMemoryNode": MEMORY,
    "MinMemoryCPU": MEMORY, "MemPerTres": MEMORY, "TimeLimit": ("time",), "TimeMin": ("time-min",), "Partition": ("partition",),
    "Account": ("account",), "Features": ("constraint",), "Licenses": ("licenses",), "Requeue": ("requeue", "no-requeue"),
    "OverSubscribe": ("exclusive", "oversubscribe", "overcommit"), "Contiguous": ("contiguous",), "StdOut": ("output", "job-name", "chdir"),
    "StdErr": ("error", "output", "job-name", "chdir"), "StdIn": ("input", "chdir"), "WorkDir": ("chdir",), "ArrayTaskId": ("array",),
    "ArrayTaskThrottle": ("array",), "Dependency": ("dependency",), "Nice": ("nice",), "Comment": ("comment",),
    "Reservation": ("reservation",), "ReqNodeList": ("nodelist", "nodefile"), "ExcNodeList": ("exclude",), "TresPerNode": GPUS,
    "TresPerJob": GPUS, "TresPerTask": GPUS, "TresPerSocket": GPUS, "GPUs": GPUS, "CpusPerTres": ("cpus-per-gpu",), "TresBind": ("gpu-bind", "tres-bind"),
    "MailUser": ("mail-user",), "MailType": ("mail-type", "mail-user"), "MinTmpDiskNode": ("tmp",), "Begin": ("begin",),
    "Deadline": ("deadline",), "hint": ("hint", "threads-per-core"), "KillOInInvalidDependent": ("kill-on-invalid-dep",), "CoreSpec": ("core-spec", "thread-spec"),
    "CPU_max_freq": ("cpu-freq",), "GresEnforceBind": ("gres-flags",), "HetJobOffset": ("hetjob",), "Reboot": ("reboot",),
}

# What the lines of statements change of a job, where that has another name.
STATEMENTS = {"logs": ("output", "error"), "cd": ("chdir",)}


def differences(before, after):
    """(field, value before, value after), over all components."""
    out = []
    for number in range(max(len(before), len(after))):
        old, new = (jobs[number] if number < len(jobs) else {} for jobs in (before, after))
        out += [(name, old.get(name), new.get(name)) for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    return out


def options_of(field):
    return SOURCES.get(field, (field,))


def asked_of(field):
    """The options without which a field is left to the site: how many nodes are used is, unless the script counts nodes."""
    return ("nodes",) if field in ("NumNodes", "MaxNodes") else options_of(field)


def spoken_of(report):
    """The options of which the import report says more than `mapped`: in the lines of directives, and in those of statements that change them."""
    out = {line["option"] for line in report.get("directives", []) if line["fate"] != "mapped" or line["note"]}
    for line in report.get("statements", []):
        if line["fate"] in ("approximated", "mended", "lost") or line["option"] == "cd":
            out.update(STATEMENTS.get(line["option"], (line["option"],)))
    return out


def without_file_names(before, file, after, emitted):
    """Where a script gives no name, Slurm takes the file's; then the emitted file's own name is as good."""
    stem = file.rsplit(".", 1)[0]
    if not before or before[0].get("JobName") != file:
        return before, after
    names = {stem, stem[:63], emitted, emitted.split(".")[0]}
    return [unnamed(job, {file}) for job in before], [unnamed(job, names) for job in after]


def unnamed(job, names):
    if job.get("JobName") not in names:
        return job
    name = job["JobName"]
    return {field: value.replace(name, "{file}") if field in ("JobName", "StdOut", "StdErr") else value for field, value in job.items()}


def shape_of(said):
    """The first error (or else the first line) of what a program said, without what is quoted in it, numbers, and where it stands."""
    lines = said.splitlines() or [""]
    message = next((line for line in lines if "error" in line), lines[0])
    message = re.sub(r"^\S+:\d+:\d+: ", "", message)
    return re.sub(r"`[^`]*`|'[^']*'|\"[^\"]*\"", "…", re.sub(r"\d+", "N", message))[:160]

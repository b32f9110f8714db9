"""What `muster explain` reads in hand-written scripts, beside what a real sbatch and its controller read."""
import dataclasses
import itertools
import json
import random
import re

from . import cases, lib, sandbox, slurm_versions

SEED = 20220508
TOGETHER = 40  # scripts that one shell submits: a shell beside another Slurm takes longer to start than its sbatch

# Submits each script, held, and keeps what sbatch and the controller say of it.
SUBMIT = """for script; do
  sbatch --parsable --hold "$script" >"$script.out" 2>"$script.err" </dev/null
  echo $? >"$script.code"
  id=$(cat "$script.out")
  case $id in '' | *[!0-9]*) continue ;; esac
  scontrol show job "$id" >"$script.seen" && scancel "$id"
done"""
PREFIXES = {"nodes": ("nodes", "node", "nodes"), "time": ("time",), "ntasks": ("ntasks",), "partition": ("partition", "part", "partit"),
            "job-name": ("job-name", "job-n", "job"), "comment": ("comment", "comm"), "constraint": ("constraint", "constr"),
            "cpus-per-task": ("cpus-per-task", "cpus-per-t"), "gpus-per-node": ("gpus-per-node", "gpus-per-n"),
            "ntasks-per-node": ("ntasks-per-node", "ntasks-per-n"), "mem-per-cpu": ("mem-per-cpu", "mem-per-c"), "requeue": ("requeue", "requ"),
            "exclusive": ("exclusive", "exclusi"), "licenses": ("licenses",), "array": ("array", "arr"), "gres": ("gres",), "mem": ("mem",)}
LETTERS = {"nodes": "N", "time": "t", "ntasks": "n", "partition": "p", "job-name": "J", "constraint": "C", "cpus-per-task": "c", "array": "a", "gpus": "G"}
TIMES = ("1", "90", "1:30", "0:59", "01:02:03", "1-0", "1-2:3", "2-03:04:05", "0", "UNLIMITED", "infinite", "-1", "90m", "1h", "1:2:3:4", "1-", "-5", ":", "1:",
         "1::2", "", " 5", "5 ", "+5", "00:00:01", "59:59", "1-1-1", "1.5", "1-:30", "100:00", "3:60:61")
MEMORIES = ("0", "100", "4G", "4g", "4GB", "4gb", "10GiB", "1T", "2048K", "1025k", "1.5G", "5 G", "G", "-1", "12x", "7M", "7MB", "", "0G", "1000000", " 8G", "8G ")
COUNTS = ("1", "2", "4", "07", "+3", " 2", "2 ", "0", "-1", "two", "2x", "1e1", "")
NODES = ("1", "2", "1-4", "4-2", "2-2", "-3", "3-", "0", "1k", "2 ", "x", "", "1-2-3", "2,4", "+2")
GPUS = ("1", "h100:2", "h100", "8", "0", "a100:1", "h100:x", "h100:2,h100:1", ":2", "2:", "", "1k", "h100:2:3", "-1")
GRES = ("gpu:1", "gpu", "gpu:h100:2", "gpu:h100", "none", "gpu:0", "gpu:", "gpu::1", "shard:2", "gpu:h100:x", "gpu:1,gpu:h100:1", "gres:gpu:2", "")
ARRAYS = ("0", "0-3", "1,3,5", "0-9:3", "0-9%2", "0-9%0", "3-1", "a", "1-", "[0-3]", "0-1000", "1000", "0-4:0", "", "-1", "1,1,2", "0-3%x", "5,")
WORDS = ("plain", "'single quoted'", '"double quoted"', r"back\ slash", r'q\"uote', "a'b'c", '"it\'s"', "half#comment", "'no # comment'", r"tail\\", '"a\\"b"', "''", r"dol$lar",
         "semi;colon", "`tick`", "${VAR}", "ünï", "a=b", "x,y", r"\'", '"unmatched', "end # comment", "%j-%x", r"\#hash", "tab\there", "two words")
LINES = (
    "-N2 -n4", "-N 2 -n 4", "-N2-n4", "-n4 -N2 -c3", "-vN2", "-HN2", "-Hn3 -c2", "-kN2", "-k2 -N2", "-N=2", "--nodes 2", "--nodes=2 --ntasks 4", "--nodes", "--nodes=",
    "--nod=2", "--no=2", "--n=2", "--ntask=3", "--ntasks-per=2", "--mem-per=1G", "--mem 1G", "--mem=1G --mem-per-cpu=1G", "--mem-per-cpu=1G --mem=0", "--gpus=8 -N2", "--gpus=9 -N2",
    "--exclusive", "--exclusive=user", "--exclusive=", "--exclusive=no", "--exclusive=mcs", "--exclusive user", "--requeue", "--no-requeue", "--requeue=yes", "--requeu", "--re",
    "--kill-on-bad-exit", "--mpi=pmix", "--cpu-bind=none", "--label", "--overlap", "--het-group=0", "--segment=2", "--foo", "-Z", "-f x", "--", "-- -N2", "stray", "-N2 stray", "stray -N2", "-",
    ": -N2", "-N2 : -n2", "--signal=USR1", "--signal=B:USR1@60", "--signal=BR:10", "--signal=USR1@70000", "--signal=NOPE", "--signal=B:SIGTERM@x", "--nice", "--nice=5", "--nice=x", "--nice 5",
    "--ntasks-per-node=4", "-N2 --ntasks-per-node=4", "-n5 --ntasks-per-node=2", "-N4 -n2", "-N2-4 -n3", "-N3 -n7 -c2", "--ntasks-per-gpu=2 --gpus=4", "--ntasks-per-gpu=2 --gpus-per-task=1 -n2",
    "--gpus-per-task=1 -n4", "--gpus-per-task=h100:2 -n2 -N1", "--gpus-per-node=h100:8 --gres=gpu:8", "--tasks-per-node=3 -N2", "--mail-type=END", "--mail-type=END,FAIL", "--mail-type=nonsense", "--mail-type=START,END", "--mail-type=NONE,nonsense",
    "--open-mode=append", "--open-mode=x", "--kill-on-invalid-dep=yes", "--kill-on-invalid-dep=maybe", "--comment=a --comment=b", "-t5 -t 10", "-t\t7", "  -N2", "-N2 # -N3", "-N2# -N3", "-J a\\ b",
    "--comment= -N2", "'' -N2", "-N2 '' -n4", "\\ -N2", "-N\\2", "'-N2'", '"-N" "2"', "--no'des=2'", "hetjob", "-N2 hetjob -n3", "--tres-per-task=cpu=2", "--time-min=5", "--oversubscribe",
    "--switches=1", "--contiguous", "--overcommit -n4", "--mem-per-gpu=4G --gpus=2", "--mem-per-gpu=4G", "-wn01", "-w n[01-03]", "-w n01,n02 -N3", "-x n01", "-C h100", "-C h100&h100", "-L foo", "--bogus=1 -N2",
    "--cpus-per-gpu=4 --gpus=2", "--mincpus=4", "--ntasks-per-core=1", "--ntasks-per-socket=x", "-B 1:2", "-D /tmp", "-o %x.out -e %j.err", "-i /dev/null", "--export=NONE", "--export=ALL,A=1",
    "--help", "--usage", "--version", "--parsable", "--test-only", "-Q", "--dependency=singleton", "--dependency=afterok:x", "--begin=now+1hour", "--begin=never", "--wckey=a", "--reboot",
    "--gpus=h100:4 --gpus-per-node=2 -N2", "--gpus=4 --gpus-per-node=2 -N2", "--gpus-per-node=h100:8 --gres=gpu:h100:4", "--gres=gpu:h100:4 --gpus-per-node=h100:2",
    "--gpus=h100:4 --gres=gpu:2 -N2", "-N1 -n4 --ntasks-per-node=2", "-N3 --ntasks-per-node=2 -n3", "--no-kill=off", "--mail-type=end", "--begin=16:00", "--begin=tomorrow",
)


def quoted(value):
    return "'" + value.replace("\\", "\\\\").replace("'", r"\'") + "'"


def spellings(rng):
    """(label, the lines of a script's head). The same list on every run."""
    for line in LINES:
        yield line, ["#SBATCH " + line]
    values = {"time": TIMES, "mem": MEMORIES, "mem-per-cpu": MEMORIES, "ntasks": COUNTS, "cpus-per-task": COUNTS, "ntasks-per-node": COUNTS, "nodes": NODES,
              "gpus-per-node": GPUS, "gpus": GPUS, "gres": GRES, "array": ARRAYS}
    for option, list_ in values.items():
        for value in list_:
            name = rng.choice(PREFIXES.get(option, (option,)))
            form = rng.choice(("equals", "blank", "letter" if option in LETTERS else "equals"))
            line = {"equals": f"--{name}={quoted(value)}", "blank": f"--{name} {quoted(value)}", "letter": f"-{LETTERS.get(option)}{quoted(value)}"}[form]
            if value == "" and form != "equals":
                line = f"--{name}="
            yield line, ["#SBATCH " + line]
    for word in WORDS:
        for option in ("comment", "job-name"):
            yield f"{option} {word}", [f"#SBATCH --{rng.choice(PREFIXES[option])}={word} -N2"]
    yield from heads()
    for _ in range(150):
        yield mixture(rng)


def heads():
    """Where directives stand, and other dialects."""
    one = "#SBATCH -N2"
    yield "blank lines and comments", ["", "   ", "# note", "  # note", one]
    yield "after a command", ["set -e", one]
    yield "indented", [" " + one]
    yield "lower case", ["#sbatch -N2"]
    yield "two hashes", ["#" + one]
    yield "a blank", ["# SBATCH -N2"]
    yield "no blank", ["#SBATCH-N2"]
    yield "letters behind", ["#SBATCHES -N2"]
    yield "old word", ["#SLURM -N2"]
    yield "a value on the next line", ["#SBATCH -N", "#SBATCH 2"]
    yield "a value eats an option", ["#SBATCH --comment", "#SBATCH -N2"]
    yield "template line", ["{% if x %}", one]
    yield "PBS", [one, "#PBS -l nodes=3"]
    yield "PBS below commands", [one, "true", "#PBS -l nodes=3:ppn=2"]
    yield "PBS ignored", ["#SBATCH --ignore-pbs -N2", "#PBS -l nodes=3"]
    yield "PBS walltime", ["#PBS -l walltime=00:10:00,mem=4gb", "#PBS -N name -A acc"]
    yield "PBS select", ["#PBS -l select=2:ncpus=4:mpiprocs=2"]
    yield "PBS unknown", ["#PBS -Y 3"]
    yield "PBS array", ["#PBS -J 0-3"]
    yield "BSUB", ["#BSUB -n 4 -W 10 -J name"]
    yield "BSUB before PBS", ["#BSUB -n 4", "#PBS -l nodes=3"]
    yield "BSUB memory", ["#BSUB -M 1048576"]
    yield "BSUB resources", ["#BSUB -R span[ptile=1]"]
    yield "hetjob", [one, "#SBATCH hetjob", "#SBATCH -N3 -c2"]
    yield "packjob", ["#SBATCH -t5 --mem=1G", "#SBATCH packjob -N7", "#SBATCH -n3"]
    yield "hetjob in capitals", [one, "#SBATCH HetJob", "#SBATCH -n2"]
    yield "hetjob and array", ["#SBATCH -a 0-3", "#SBATCH hetjob", "#SBATCH -n2"]


def mixture(rng):
    """Several good options in one file, spread over lines."""
    chosen = {"nodes": rng.choice(("1", "2", "3", "2-4")), "time": rng.choice(("5", "1:30", "2:00:00", "1-1"))}
    for option, values in {"ntasks": ("4", "6"), "cpus-per-task": ("2", "4"), "ntasks-per-node": ("1", "2"), "gpus-per-node": ("1", "h100:2"), "mem": ("4G", "0", "512"),
                           "partition": ("gpu", "low", "gpu,low"), "job-name": ("a", "'b c'"), "comment": ('"x # y"', r"z\ z"), "array": ("0-3", "1,5%2"), "constraint": ("h100",)}.items():
        if rng.random() < 0.4:
            chosen[option] = rng.choice(values)
    parts = []
    for option, value in chosen.items():
        letter = LETTERS.get(option)
        parts.append(f"-{letter} {value}" if letter and rng.random() < 0.3 else f"-{letter}{value}" if letter and rng.random() < 0.3 else
                     f"--{rng.choice(PREFIXES[option])}{rng.choice('= ')}{value}")
    rng.shuffle(parts)
    lines = []
    while parts:
        take = rng.randint(1, 3)
        lines.append("#SBATCH " + " ".join(parts[:take]) + rng.choice(("", " # note", "  ")))
        parts = parts[take:]
    return "mixture " + " / ".join(lines), lines


def clock(limit):
    """Minutes as scontrol prints them."""
    minutes = limit["minutes"]
    days = f"{minutes // 1440}-" if minutes >= 1440 else ""
    return "UNLIMITED" if limit["unlimited"] else f"{days}{minutes % 1440 // 60:02d}:{minutes % 60:02d}:00"


def given(component, name):
    field = component.get(name)
    return field.get("value") if isinstance(field, dict) else None


def gpus_text(list_):
    return ",".join("gres/gpu:" + (f"{g['type']}:" if g["type"] else "") + str(g["count"]) for g in list_)


def expectations(component):
    """What muster says, in scontrol's fields. Only fields that muster claims to know."""
    want = {}
    nodes, tasks, memory, limit = (given(component, n) for n in ("nodes", "tasks", "memory", "time"))
    if nodes and component["nodes"].get("option") and nodes["min"] == nodes["max"]:  # of a range, a waiting job shows an estimate
        want["NumNodes"] = str(nodes["min"])
    if tasks is not None:
        want["NumTasks"] = str(tasks)
    if given(component, "cpus_per_task"):
        want["CPUs/Task"] = str(given(component, "cpus_per_task"))
    if memory and memory["per"] != "gpu" and not memory["all"]:
        want["MinMemoryNode" if memory["per"] == "node" else "MinMemoryCPU"] = f"{memory['mebibytes']}M"
    if limit:
        want["TimeLimit"] = clock(limit)
    for ours, theirs in (("job_name", "JobName"), ("comment", "Comment"), ("constraint", "Features"), ("account", "Account")):
        if given(component, ours) is not None:
            want[theirs] = given(component, ours)
    if "gpus_in_gres" in component and component["gpus_per_node"].get("option") == "--gpus-per-node":
        component = {**component, "gpus_per_node": None}  # the record lists both, the later one counts
    if given(component, "partitions"):
        want["Partition"] = ",".join(given(component, "partitions"))
    if given(component, "requeue") is not None:
        want["Requeue"] = str(int(given(component, "requeue")))
    for ours, theirs in (("gpus_per_node", "TresPerNode"), ("gpus", "TresPerJob"), ("gpus_per_task", "TresPerTask")):
        if given(component, ours):
            want[theirs] = gpus_text(given(component, ours))
    return want


@dataclasses.dataclass
class Submitted:
    """What became of a script: sbatch's exit code and words, and what `scontrol show job` says where it is a job now."""
    code: int
    out: str
    said: str
    shown: str = ""

    @property
    def is_job(self):
        return self.code == 0 and self.out.isdigit()


def submit(cluster, paths):
    """What became of each script, in one go."""
    done = cluster.run("sh", "-c", SUBMIT, "sh", *paths, timeout=600)
    if done.returncode == 124:
        raise TimeoutError(lib.says(done))
    return [submitted(path) for path in paths]


def submitted(path):
    def kept(suffix):
        file = path.with_name(path.name + suffix)
        return file.read_text(errors="surrogateescape") if file.exists() else ""
    out = kept(".out").strip()
    return Submitted(int(kept(".code")), out, f"{out}{kept('.err')}".strip(), kept(".seen"))


def seen_fields(text):
    """A list of fields, one for each component."""
    records = [sandbox.fields(part) for part in re.split(r"\n(?=JobId=)", text) if part.strip()]
    for record in records:
        if "MinMemoryCPU" in record:
            record["MinMemoryCPU"] = sandbox.mebibytes(record["MinMemoryCPU"])
        for name in ("TresPerJob", "TresPerTask", "TresPerNode"):
            if name in record:
                record[name] = record[name].replace("gres:", "gres/").replace("=", ":")
    return records


def normal(name, value):
    """Spellings that mean the same: gpu:h100 is gpu:h100:1; --gpus=h100 too."""
    if not name.startswith("TresPer") or value is None:
        return value
    parts = []
    for part in value.split(","):
        words = part.removeprefix("gres/").split(":")
        kilo = re.fullmatch(r"(\d+)k", words[-1])
        words[-1] = str(int(kilo[1]) * 1024) if kilo else words[-1]
        parts.append(":".join(words if words[-1].isdigit() else words + ["1"]))
    return ",".join(parts)


# A controller's refusal that no file can foresee: it is about this fleet.
OF_THE_FLEET = re.compile(r"not available|Invalid feature|Invalid license|node name|never satisfy|Requested nodes are busy|Invalid generic resource|More processors|Memory required|Node count specification invalid|exceeds partition|"
                          r"Invalid qos|dependency|Invalid Trackable", re.I)


def judged(report, shop, site, label, path, job):
    """One file: accepted by both or by neither, and where accepted, understood alike."""
    asked = shop.ask("explain", path, "--format", "json", "--site", site)
    if not report.equal(f"{label}: explain ends with", asked.returncode, 0):
        return
    read = json.loads(asked.stdout)["scripts"][0]
    why = [r["message"] for r in read["refusals"] + read["conflicts"]]
    if read["template"]:
        return
    if job.is_job != read["accepted"]:
        excused = read["accepted"] and OF_THE_FLEET.search(job.said)
        if job.is_job or not excused:
            report.check(f"{label}: accepted alike", job.code == 0 and not job.out and read["accepted"], f"sbatch {job.said!r}, muster {why}")
    else:
        report.check(f"{label}: accepted alike", True)
    if job.is_job and read["accepted"]:
        for component, record in zip(read["components"], seen_fields(job.shown)):
            for name, want in expectations(component).items():
                report.equal(f"{label}: {name}", normal(name, record.get(name)), normal(name, want))


def script(lines):
    return "\n".join(["#!/bin/bash", *lines, "true", ""])


def all_spellings(report, shop, cluster, name):
    """Every spelling before one Slurm; muster is told its version by a site."""
    site = shop.place("reader") / f"{name}.muster"
    version = ".".join(cluster.version().split(".")[:2])
    site.write_text(f'site judged {{\n  plane slurm {{ kind = slurm  version = "{version}" }}\n}}\n')
    folder = shop.place(f"reader/{name}")
    left = enumerate(spellings(random.Random(SEED)))
    while some := list(itertools.islice(left, TOGETHER)):
        paths = [folder / f"{number}.sh" for number, _ in some]
        for path, (_, (_, lines)) in zip(paths, some):
            path.write_text(script(lines))
        for path, (_, (label, _)), job in zip(paths, some, submit(cluster, paths)):
            judged(report, shop, site, f"{version} {label}", path, job)


def judge(report, shop):
    if not lib.sandbox_folder():
        report.skip("sandbox", "sbatch-reader", "no slurm-sandbox: set MUSTER_SHARED")
        return
    cluster = sandbox.host_cluster(report, shop)
    if cluster is None:
        return
    all_spellings(report, shop, cluster, "host")
    for path in lib.broken_files("sbatch-reader", ".sbatch"):
        claim = path.with_suffix(".json")
        lib.must_reject(report, path, lambda inner: compared(inner, shop, cluster, path, json.loads(claim.read_text())))
    for suite in slurm_versions.SUITES:
        if slurm_versions.available(report, shop, suite):
            other = sandbox.Cluster(shop, f"reader-{suite}", cases.Fleet(), suite)
            error = other.up()
            if report.check(f"Slurm of {suite} is up", not error, error):
                all_spellings(report, shop, other, suite)


def compared(report, shop, cluster, path, claim):
    """A broken file comes with a wrong claim about it, in muster's JSON: the judge has to object."""
    copy = shop.place("reader") / path.name
    copy.write_text(path.read_text())
    job = submit(cluster, [copy])[0]
    if report.equal("accepted alike", claim["accepted"], job.is_job) and job.is_job:
        record = seen_fields(job.shown)[0]
        for name, want in expectations(claim["components"][0]).items():
            report.equal(name, normal(name, record.get(name)), normal(name, want))

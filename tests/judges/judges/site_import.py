"""`muster site import` beside the controllers it reads: the site says what scontrol says, what is compiled with it is
placed by that very controller, and with jobs running `muster fit` says at level now what the controller does."""
import concurrent.futures
import dataclasses
import json
import random
import re

from . import cases, lib, sandbox, slurm_sched

SUITES = (None, "trixie", "sid")


@dataclasses.dataclass
class Shape:
    """One fleet: its name, up.sh's options, lines for slurm.conf, nodes that are drained, and by the count of GPUs the
    partition of nodes that are alike: a role stays in one pool, where Slurm takes from any. `blocks`: newer Slurms only, and
    what is free now is not judged, as topology/block wants a job inside one block, which fit does not know."""
    name: str
    options: tuple
    conf: str = ""
    drained: tuple = ()
    queues: dict = dataclasses.field(default_factory=dict)
    blocks: bool = False
    threads: tuple = ()  # partitions of nodes with several threads a core: jobs of all sorts are asked for there


SHAPES = (
    Shape("mixed", ("--group", "a:16:h100:8:96:1200000", "--group", "b:8:nvidia_a100_80gb_pcie:4:64:512000",
                    "--group", "c:6::0:32:256000:cpu+fast"),
          "MaxArraySize=501\nPartitionName=debug Nodes=a[01-04] MaxTime=02:00:00 DefaultTime=00:30:00 MaxNodes=2\n"
          "PartitionName=long Nodes=a[01-16],c[1-6] MaxTime=7-00:00:00\n", ("a07", "b3")),
    Shape("counts", ("--group", "x:12:h100:8:112:2000000", "--group", "y:6:h100:4:112:2000000", "--topology", "none"),
          "PartitionName=large Nodes=x[01-12]\nPartitionName=small Nodes=y[1-6] MaxTime=4-12\n", queues={8: "large", 4: "small"}),
    # The sandbox declares one thread a core, so the nodes with more are lines of slurm.conf. It waits until as many nodes
    # as it declared itself are up, and leaves out of that count what has `unk` in its line.
    Shape("threads", ("--group", "a:2::0:32:128000", "--topology", "none"), "".join(
        f"NodeName=chunk{name}[1-4] NodeAddr=127.0.0.1 CPUs={sockets * cores * threads} Sockets={sockets} CoresPerSocket={cores} "
        f"ThreadsPerCore={threads} RealMemory=64000 Port=27001 State=CLOUD\nPartitionName={name} Nodes=chunk{name}[1-4]\n"
        for name, sockets, cores, threads in (("two", 1, 8, 2), ("odd", 2, 7, 2), ("four", 2, 5, 4))), threads=("two", "odd", "four")),
    Shape("blocks", ("--group", "n:32:h100:8:112:2000000", "--topology", "block"), blocks=True),
)

# What the questions of the text are answered with; the examples ask for it.
ANSWERS = """  job-dir = "/shared/jobs"
  storage data    { path = "/shared/data" }
  software torch  { modules = ["cuda/12.6"]  venv = "/shared/env/torch" }
  software verl   { modules = ["cuda/12.6"]  conda = "/shared/env/verl" }
  software md     { modules = ["cuda/12.6", "openmpi/5.0"] }
  software jax    { venv = "/shared/env/jax" }
  software vllm   { venv = "/shared/env/vllm" }
"""
# Examples that these clusters cannot take, whatever is answered.
ELSEWHERE = {
    "megatron": "16 nodes are more than these fleets have",
    "nccl": "it requires a fabric, of which Slurm says nothing",
}

ASK = """workload ask {{
  kind = batch{queue}
  resources {{ nodes = {nodes}  gpus = {gpus}  gpu = {model}  cpus = {cpus}  memory = {memory}MiB }}
  command = ["probe"]
}}
"""

UNITS = {"MiB": 1, "GiB": 1024, "TiB": 1024 ** 2, "KiB": 1 / 1024, "MB": 1e6 / 2 ** 20, "GB": 1e9 / 2 ** 20, "TB": 1e12 / 2 ** 20, "B": 2 ** -20}
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


# ---- the imported text, read without muster ---------------------------------------------------

def blocks(text, kind):
    """Label and body of every block of a kind, comments taken out."""
    bare = re.sub(r"#[^\n]*", "", text)
    for found in re.finditer(rf'^ *{kind} +"?([\w.-]+)"? +{{', bare, re.M):
        depth, at = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(bare[at], 0)
            at += 1
        yield found[1], bare[found.end():at - 1]


def outer(body):
    """A body without the blocks in it."""
    while "{" in body:
        body = re.sub(r"[\w-]+ *[^\s{}=]* *\{[^{}]*\}", "", body)
    return body


def inner(body, kind):
    found = re.search(rf"(?<![\w-]){kind} +{{([^{{}}]*)}}", body)
    return found[1] if found else ""


def value(body, key):
    found = re.search(rf"(?<![\w-]){key} *= *(\[[^\]]*\]|\"[^\"]*\"|\S+)", body)
    return found[1].strip('"') if found else None


def mebibytes(text):
    number, unit = re.fullmatch(r"([\d.]+)([A-Za-z]+)", text).groups()
    return round(float(number) * UNITS[unit])


def seconds(text):
    return sum(int(n) * SECONDS[unit] for n, unit in re.findall(r"(\d+)([smhd])", text)) if text else None


# ---- what scontrol says -----------------------------------------------------------------------

def slurm_seconds(text):
    """7-00:00:00, 02:00:00; None for no limit."""
    found = re.fullmatch(r"(?:(\d+)-)?(\d+):(\d+):(\d+)", text)
    if not found:
        return None
    days, *rest = (int(part or 0) for part in found.groups())
    return days * 86400 + rest[0] * 3600 + rest[1] * 60 + rest[2]


def records(text):
    return [dict(word.partition("=")[::2] for word in line.split()) for line in text.splitlines() if "=" in line]


def gres(text):
    """Type and count of gpu:h100:8(…)."""
    found = re.match(r"gpu:(?:([\w-]+):)?(\d+)", text)
    return (found[1], int(found[2])) if found and int(found[2]) else (None, 0)


class Scene:
    """One controller, and the site imported from it."""

    def __init__(self, shop, shape, suite):
        self.shop, self.shape = shop, shape
        self.name = f"{suite or 'host'}-{shape.name}"
        self.folder = shop.place(f"import-{self.name}")
        conf = self.folder / "extra.conf"
        conf.write_text(shape.conf)
        self.cluster = sandbox.Cluster(shop, f"cluster-{self.name}", cases.Fleet(), suite, (*shape.options, "--conf", conf))
        self.site = self.folder / "site.muster"

    def up(self):
        error = self.cluster.up()
        for node in self.shape.drained if not error else ():
            self.cluster.run("scontrol", "update", f"node={node}", "state=drain", "reason=a broken GPU")
        return error

    def dump(self):
        """What an administrator would paste, in one text."""
        parts = [self.cluster.run("scontrol", *words).stdout for words in
                 (("-d", "show", "node"), ("show", "partition"), ("show", "config"), ("show", "topology"))]
        parts.append(self.cluster.run("squeue", "-o", "%i|%P|%T|%N|%D|%C|%m|%b").stdout)
        path = self.folder / "dump.txt"
        path.write_text("\n".join(parts))
        return path

    def read(self, report, rewrite=None):
        """Imports; True once there is a site."""
        done = self.shop.ask("site", "import", self.dump(), "--name", "lab")
        if not report.check(f"{self.name} imports", done.returncode == 0, lib.says(done)):
            return False
        text = rewrite(done.stdout) if rewrite else done.stdout
        self.text = re.sub(r"^site lab {\n", lambda m: m[0] + ANSWERS, text, flags=re.M)
        self.site.write_text(self.text)
        return True

    def hosts(self, names):
        return self.cluster.hosts(names)

    def ask(self, verb, spec, *words):
        return self.shop.ask(verb, spec, "--site", self.site, "--root", spec.parent, *words)

    def fit(self, spec):
        done = self.ask("fit", spec, "--format", "json")
        return json.loads(done.stdout) if done.stdout.startswith("{") else {"levels": {"now": lib.says(done)}, "workloads": []}

    def compile(self, report, label, spec):
        done = self.ask("compile", spec)
        path = self.folder / f"{spec.stem}.sbatch"
        path.write_text(done.stdout)
        return path if report.check(f"{label} compiles", done.returncode == 0, lib.says(done)) else None


# ---- (b) the same numbers ----------------------------------------------------------------------

def same_hardware(report, scene):
    pool_of = {}
    for _, body in blocks(scene.text, "pool"):
        plain, gpu, node = outer(body), inner(body, "gpu"), inner(body, "node")
        drained = set(scene.hosts(value(plain, "drained")))
        for host in scene.hosts(value(plain, "nodes")):
            pool_of[host] = {"gpus": int(value(gpu, "count") or 0), "model": value(gpu, "model"), "cpus": int(value(node, "cpus")) * int(value(node, "threads-per-core") or 1),
                             "memory": mebibytes(value(node, "memory")), "drained": host in drained}
    words = {model: value(body, "gres") for model, body in blocks(scene.text, "gpu")}
    seen = {}
    for record in records(scene.cluster.run("scontrol", "-o", "show", "node").stdout):
        kind, count = gres(record["Gres"])
        seen[record["NodeName"]] = {"gpus": count, "model": kind, "cpus": int(record["CPUTot"]), "memory": int(record["RealMemory"]),
                                    "drained": "DRAIN" in record["State"]}
    for machine in pool_of.values():
        machine["model"] = words.get(machine["model"]) or machine["model"]
    report.equal(f"{scene.name} nodes", sorted(pool_of), sorted(seen))
    wrong = {host: (pool_of.get(host), seen[host]) for host in seen if pool_of.get(host) != seen[host]}
    report.check(f"{scene.name} hardware of {len(seen)} nodes", not wrong, wrong)


def same_partitions(report, scene):
    pools = {name: set(scene.hosts(value(outer(body), "nodes"))) for name, body in blocks(scene.text, "pool")}
    queues = dict(blocks(scene.text, "queue"))
    partitions = {r["PartitionName"]: r for r in records(scene.cluster.run("scontrol", "-o", "show", "partition").stdout)}
    report.equal(f"{scene.name} partitions", sorted(queues), sorted(partitions))
    for name, partition in partitions.items():
        body = queues.get(name, "")
        named = re.findall(r"[\w.-]+", value(body, "pools") or "") or list(pools)
        reached = set().union(*(pools.get(pool, set()) for pool in named))
        if value(body, "nodes"):
            reached &= set(scene.hosts(value(body, "nodes")))
        report.equal(f"{scene.name} nodes of {name}", sorted(reached), sorted(scene.hosts(partition["Nodes"])))
        limits = {"MaxTime": (seconds(value(body, "max-time")), slurm_seconds(partition["MaxTime"])),
                  "DefaultTime": (seconds(value(body, "default-time")), slurm_seconds(partition["DefaultTime"])),
                  "MaxNodes": (value(body, "max-nodes"), None if partition["MaxNodes"] == "UNLIMITED" else partition["MaxNodes"]),
                  "Default": (value(body, "default"), {"YES": "true", "NO": None}[partition["Default"]])}
        wrong = {key: pair for key, pair in limits.items() if pair[0] != pair[1]}
        report.check(f"{scene.name} limits of {name}", not wrong, wrong)


def same_plane(report, scene):
    plane = next(body for _, body in blocks(scene.text, "plane"))
    version = ".".join(scene.cluster.version().split(".")[:2])
    report.equal(f"{scene.name} version", value(plane, "version") or "22.05", version)
    config = scene.cluster.run("scontrol", "show", "config").stdout
    most = int(re.search(r"MaxArraySize\s*=\s*(\d+)", config)[1])
    report.equal(f"{scene.name} array-max", int(value(plane, "array-max")), most - 1)
    topology = re.search(r"TopologyPlugin\s*=\s*topology/(\w+)", config)
    report.equal(f"{scene.name} topology", value(plane, "topology") or "none", {"tree": "tree", "block": "block"}.get(topology and topology[1], "none"))


def same_leaves(report, scene):
    """Nodes that the controller hangs on one switch or block hang on one leaf."""
    seen = {}
    for record in records(scene.cluster.run("scontrol", "show", "topology").stdout):
        if record.get("Level", "0") == "0" and record.get("Nodes"):
            seen[record.get("SwitchName") or record.get("BlockName")] = set(scene.hosts(record["Nodes"]))
    leaves = {}
    for name, body in blocks(scene.text, "leaf"):
        leaves.setdefault(name, set()).update(scene.hosts(value(body, "nodes")))
    report.equal(f"{scene.name} leaves", {n: sorted(h) for n, h in leaves.items()}, {n: sorted(h) for n, h in seen.items()})


# ---- (a) what is compiled is placed --------------------------------------------------------------

def examples(report, scene):
    for case in cases.example_cases():
        if case.refused or case.name in ELSEWHERE:
            continue
        label = f"{scene.name} {case.name}"
        path = scene.compile(report, label, case.spec)
        if not path:
            continue
        job = slurm_sched.accepted(report, label, scene.cluster, path, scene.folder)
        if job is None:
            continue
        seen = scene.cluster.settled(job)
        hosts = scene.hosts(seen.get("NodeList"))
        report.check(f"{label} is placed", seen.get("JobState") == "CONFIGURING" and hosts, f"{seen.get('JobState')} {seen.get('Reason')}")
        fit = scene.fit(case.spec)
        placed = {p["node"] for w in fit["workloads"] for p in w["placements"]}
        report.equal(f"{label} nodes of fit and of Slurm", len(placed), len(hosts))
        scene.cluster.cancel(job)


# ---- (c) with jobs running -------------------------------------------------------------------------

def machines(scene):
    """Free machines by GPU type, as the controller has them."""
    out = {}
    for record in records(scene.cluster.run("scontrol", "-o", "show", "node").stdout):
        kind, count = gres(record["Gres"])
        if kind and "DRAIN" not in record["State"]:
            out.setdefault((kind, count), []).append(record)
    return out


def crowd(scene, draw):
    """Jobs of all sorts: whole nodes, some GPUs, few or many cores, little or all memory."""
    jobs = []
    for (kind, count), nodes in machines(scene).items():
        for _ in range(len(nodes)):
            gpus, cpus = draw.choice((0, 1, count // 2, count)), draw.choice((1, 8, 30, 60))
            options = [f"--nodes={draw.choice((1, 1, 2))}", "--ntasks-per-node=1", f"--cpus-per-task={cpus}", f"--mem={draw.choice((1000, 100000, 400000))}"]
            if gpus:
                options.append(f"--gpus-per-node={kind}:{gpus}")
            path = scene.folder / "filler.sbatch"
            path.write_text("#!/bin/bash\n" + "".join(f"#SBATCH {option}\n" for option in options) + "sleep 600\n")
            job = scene.cluster.submit(path)
            jobs += [job] if isinstance(job, int) else []
    for job in jobs:
        scene.cluster.settled(job, 30)
    waiting = [job for job in jobs if scene.cluster.job(job).get("JobState") == "PENDING"]
    scene.cluster.cancel(*waiting)  # what waits would go first
    return [job for job in jobs if job not in waiting]


def edges(scene, draw):
    """What to ask for: a shape, and as many nodes as have it free, and one more."""
    for (kind, count), nodes in machines(scene).items():
        for _ in range(4):
            gpus, cpus, memory = draw.choice((1, count // 2, count)), draw.choice((1, 20, 50)), draw.choice((1000, 200000, 450000))
            for more in (0, 1):
                yield kind, count, len(nodes), gpus, cpus, memory, more


def free_nodes(scene, kind, count, gpus, cpus, memory):
    """How many nodes of this very hardware have room, from the controller's own numbers."""
    free = 0
    for record in records(scene.cluster.run("scontrol", "-d", "-o", "show", "node").stdout):
        if gres(record["Gres"]) == (kind, count) and "DRAIN" not in record["State"]:
            left = (count - gres(record["GresUsed"])[1], int(record["CPUTot"]) - int(record["CPUAlloc"]), int(record["RealMemory"]) - int(record["AllocMem"]))
            free += left[0] >= gpus and left[1] >= cpus and left[2] >= memory
    return free


def now(report, scene, rewrite=None):
    draw = random.Random(20261121)
    jobs = crowd(scene, draw)
    report.check(f"{scene.name} jobs run", len(jobs) > 5, jobs)
    if scene.read(report, rewrite):
        models = {value(body, "gres") or model: model for model, body in blocks(scene.text, "gpu")}
        for kind, count, total, gpus, cpus, memory, more in edges(scene, draw):
            nodes = free_nodes(scene, kind, count, gpus, cpus, memory) + more
            if 0 < nodes <= total:
                asked(report, scene, nodes, gpus, cpus, memory, models.get(kind, kind), scene.shape.queues.get(count))
    scene.cluster.cancel(*jobs)


def asked(report, scene, nodes, gpus, cpus, memory, model, queue):
    spec = scene.folder / "ask.muster"
    spec.write_text(ASK.format(queue=f"\n  queue = {queue}" if queue else "", nodes=nodes, gpus=gpus, cpus=cpus, memory=memory, model=model))
    label = f"{scene.name} {queue or ''} {nodes} x {gpus} {model}, {cpus} cores, {memory} MiB"
    path = scene.compile(report, label, spec)
    job = path and slurm_sched.accepted(report, label, scene.cluster, path, scene.folder)
    if not job:
        return
    seen = scene.cluster.settled(job)
    state = {"CONFIGURING": "fits", "PENDING": "does-not-fit"}.get(seen.get("JobState"), seen.get("JobState"))
    verdict = scene.fit(spec)["levels"]["now"]
    report.check(f"{label}: {verdict}", verdict == state, f"fit says {verdict}, Slurm {seen.get('JobState')} {seen.get('Reason')}")
    scene.cluster.cancel(job)


# ---- (d) threads of cores ---------------------------------------------------------------------------

def threads_of_cores(report, scene, rewrite=None):
    """Jobs near what a node takes, with every way to count CPUs: fit says what the controller does."""
    if not scene.read(report, rewrite):
        return
    draw = random.Random(20261128)
    nodes = {name: next(r for r in records(scene.cluster.run("scontrol", "-o", "show", "node", f"chunk{name}1").stdout)) for name in scene.shape.threads}
    verdicts = {"fits": 0, "does-not-fit": 0}
    for number in range(60):
        partition = draw.choice(scene.shape.threads)
        node = nodes[partition]
        threads, cpus = int(node["ThreadsPerCore"]), int(node["CPUTot"])
        whole, alone, each = draw.choice((True, False)), draw.choice((True, False, False)), draw.choice((None, None, 1000, 2000, 4500))
        room = cpus // threads if whole else cpus
        tasks = draw.randint(1, room)
        options = [f"--partition={partition}", "--nodes=1", f"--ntasks-per-node={tasks}", f"--cpus-per-task={max(1, room // tasks + draw.choice((-1, 0, 0, 1)))}",
                   f"--mem-per-cpu={each}" if each else "--mem=1000", "--time=10"]
        options += [draw.choice(("--hint=nomultithread", "--threads-per-core=1"))] if whole else []
        options += ["--exclusive"] if alone else []
        path = scene.folder / "threads.sbatch"
        path.write_text("#!/bin/bash\n" + "".join(f"#SBATCH {option}\n" for option in options) + "srun a\n")
        taken = scene.cluster.test_only(path).returncode == 0
        verdict = scene.fit(path)["levels"]["capacity"]
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
        report.check(f"{scene.name} {number}: {' '.join(options)}: {verdict}", verdict == ("fits" if taken else "does-not-fit"), f"Slurm takes it: {taken}")
    report.check(f"{scene.name} both answers", min(verdicts["fits"], verdicts["does-not-fit"]) > 5, verdicts)


# ---- the judge -------------------------------------------------------------------------------------

def compared(report, scene, rewrite=None):
    if not scene.read(report, rewrite):
        return
    same_hardware(report, scene)
    same_partitions(report, scene)
    same_plane(report, scene)
    same_leaves(report, scene)


def shape_judged(report, shop, shape, suite):
    scene = Scene(shop, shape, suite)
    error = scene.up()
    if not report.check(f"{scene.name} is up", not error, error):
        return
    compared(report, scene)
    if shape.threads:
        threads_of_cores(report, scene)
        if suite is None:
            reject_broken(report, scene, {"threads": threads_of_cores})
        return scene.cluster.down()
    examples(report, scene)
    if not shape.blocks:
        now(report, scene)
    if suite is None and shape.name == "mixed":
        reject_broken(report, scene, {"now": now, "": compared})
    scene.cluster.down()


def reject_broken(report, scene, parts):
    """Sites that were spoilt after the import; `# part: now` names those that only running jobs show, `# part: threads`
    those that only nodes with several threads a core do."""
    for path in lib.broken_files("site-import", ".sed"):
        part = parts.get(next(iter(cases.header(path.read_text(), "part")), ""))
        if part is None:
            continue
        lib.must_reject(report, path, lambda inner, part=part, path=path: part(inner, scene, lib.mutation(path)))


def suite_judged(shop, suite):
    report = lib.Lines()
    if suite and lib.run([lib.sandbox_folder() / "in-version.sh", suite, "true"], timeout=300, cwd=shop.folder).returncode:
        report.skip(suite, f"Slurm of {suite}", "in-version.sh failed")
        return report
    for shape in SHAPES:
        if suite or not shape.blocks:
            lib.guarded(report, f"{suite or 'host'} {shape.name}", shape_judged, shop, shape, suite)
    return report


def judge(report, shop):
    if not lib.sandbox_folder():
        return report.skip("sandbox", "site-import", "no slurm-sandbox folder beside the checkout; MUSTER_SHARED names the folder that has it")
    with concurrent.futures.ThreadPoolExecutor(len(SUITES)) as pool:
        for done in pool.map(lambda suite: suite_judged(shop, suite), SUITES):
            report.take(done)
    return None

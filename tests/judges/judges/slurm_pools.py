"""Random fleets of two to four unlike pools of one queue, some nodes drained, some in use: what `muster fit` answers, a
real controller does.

One controller has all machines; a fleet is some of them, and the others are drained. MUSTER_FLEETS is how many (24),
MUSTER_FLEETS_SEED where they start."""
import dataclasses
import os
import random

from . import cases, lib, sandbox

MACHINES = {  # nodes, GPUs, cores, MiB of a node
    "big": (24, 8, 112, 2_000_000),
    "lean": (16, 8, 96, 500_000),
    "half": (16, 4, 64, 1_000_000),
    "old": (12, 4, 32, 250_000),
}
SITE = """site pools {{
  fleet = several
  plane batch {{ kind = slurm  version = "{version}" }}
  queue main {{ name = "gpu"  default = true }}
}}
fleet several {{
{pools}}}
"""
GANG = """workload gang {{
  kind = batch
  resources {{ nodes = {nodes}  gpus = {gpus}  gpu = h100  cpus = {cpus}  memory = {memory}MiB }}
  command = ["probe"]
}}
"""
STATES = {"CONFIGURING": "fits", "RUNNING": "fits", "PENDING": "does-not-fit"}


@dataclasses.dataclass
class Pool:
    """Machines of one kind; `use` has what is taken of a node: GPUs, cores, MiB."""
    name: str
    kind: str
    nodes: list
    drained: list
    use: dict

    def left(self, node):
        return [have - taken for have, taken in zip(MACHINES[self.kind][1:], self.use.get(node, (0, 0, 0)))]

    def text(self):
        _, gpus, cores, memory = MACHINES[self.kind]
        lines = [f'nodes = "{",".join(self.nodes)}"', f"gpu {{ model = h100  memory = 80GB  count = {gpus} }}",
                 f"node {{ cpus = {cores}  memory = {memory}MiB }}"]
        if self.drained:
            lines.append(f'drained = "{",".join(self.drained)}"')
        for number, (node, (taken, cores, memory)) in enumerate(self.use.items()):
            lines.append(f'in-use job-{number} {{ nodes = "{node}"  gpus = {taken}  cpus = {cores}  memory = {memory}MiB }}')
        return f"  pool {self.name} {{\n" + "".join(f"    {line}\n" for line in lines) + "  }\n"


def hosts_of(kind):
    count = MACHINES[kind][0]
    return [f"{kind}{number:0{len(str(count))}d}" for number in range(1, count + 1)]


def draw_fleet(draw):
    """Pools of different kinds, or of the same kind as two pools."""
    free, pools = {kind: hosts_of(kind) for kind in MACHINES}, []
    for number in range(draw.randint(2, 4)):
        kind = draw.choice([kind for kind in free if free[kind]])
        nodes = [free[kind].pop(0) for _ in range(draw.randint(1, min(8, len(free[kind]))))]
        drained = draw.sample(nodes, draw.choice((0, 0, 1, len(nodes) // 2)))
        use = {}
        for node in draw.sample(nodes, draw.randint(0, len(nodes))):
            _, gpus, cores, memory = MACHINES[kind]
            if node not in drained:
                use[node] = (draw.choice((1, gpus // 2, gpus)), draw.choice((1, cores // 4, cores // 2)), draw.choice((1000, memory // 4, memory // 2)))
        pools.append(Pool(f"p{number}", kind, nodes, drained, use))
    return pools


def draw_gangs(draw, pools):
    """Shapes at the edge of what is free, where a mistake of one shows."""
    for _ in range(3):
        shape = draw.choice((1, 2, 4, 8)), draw.choice((1, 8, 30, 60)), draw.choice((1000, 100_000, 240_000, 400_000))
        free = sum(all(have >= asked for have, asked in zip(pool.left(node), shape))
                   for pool in pools for node in pool.nodes if node not in pool.drained)
        for nodes in (free, free + 1):
            if nodes:
                yield nodes, *shape


def renamed(draw, pools):
    """The same fleet under other names, in another order."""
    names = [f"z{number}" for number in range(len(pools))]
    draw.shuffle(names)
    out = [dataclasses.replace(pool, name=name) for pool, name in zip(pools, names)]
    draw.shuffle(out)
    return out


def occupy(cluster, bench, pools):
    """A job for each node in use."""
    jobs = []
    for pool in pools:
        for node, (gpus, cores, memory) in pool.use.items():
            path = bench.folder / "filler.sbatch"
            path.write_text("#!/bin/bash\n" + "".join(f"#SBATCH {option}\n" for option in (
                "--nodes=1", f"--nodelist={node}", "--ntasks=1", f"--cpus-per-task={cores}", f"--gpus-per-node=h100:{gpus}", f"--mem={memory}")) + "sleep 600\n")
            jobs.append(cluster.submit(path))
    for job in jobs:
        cluster.settled(job)
    return jobs


def set_state(cluster, nodes, state):
    if nodes:
        cluster.run("scontrol", "update", f"NodeName={','.join(nodes)}", f"State={state}", "Reason=judge")


def one_gang(report, cluster, bench, label, gang, pools, others):
    nodes, gpus, cpus, memory = gang
    spec = bench.folder / "gang.muster"
    spec.write_text(GANG.format(nodes=nodes, gpus=gpus, cpus=cpus, memory=memory))
    case = cases.Case("gang", spec, "plain", {})
    as_site = lambda which: lambda _: SITE.format(version=bench.version, pools="".join(pool.text() for pool in which))
    fit = bench.fit(case, site_edit=as_site(pools))
    if not report.check(f"{label} has an answer", "levels" in fit, fit):
        return
    again = bench.fit(case, site_edit=as_site(others))
    report.equal(f"{label} under other names", again.get("levels"), fit["levels"])
    path = bench.compile(lib.Report(quiet=True), case, site_edit=as_site(pools))
    if fit["levels"]["capacity"] == "does-not-fit":
        report.check(f"{label} writes nothing", path is None)
        # What would be written if the fleet were not known.
        path = bench.compile(report, case, site_edit=lambda _: SITE.format(version=bench.version, pools="").split("fleet several")[0].replace("  fleet = several\n", ""))
    if not report.check(f"{label} is written", path is not None):
        return
    job = cluster.submit(path, cwd=bench.folder)
    seen = cluster.settled(job) if isinstance(job, int) else {"JobState": "PENDING", "Reason": job}
    state, verdict = STATES.get(seen.get("JobState"), seen.get("JobState")), fit["levels"]["now"]
    report.check(f"{label}: {verdict}", verdict == state, f"fit says {verdict}, Slurm {seen.get('JobState')} {seen.get('Reason')}")
    if isinstance(job, int):
        cluster.cancel(job)


def one_fleet(report, cluster, bench, number, seed, hide=False):
    draw = random.Random(seed * 1_000_003 + number)
    pools = draw_fleet(draw)
    up = [node for pool in pools for node in pool.nodes if node not in pool.drained]
    set_state(cluster, up, "RESUME")
    jobs = occupy(cluster, bench, pools)
    told = [dataclasses.replace(pool, use={}) for pool in pools] if hide else pools
    if report.check(f"fleet {number} is set up", all(isinstance(job, int) for job in jobs), jobs):
        others = renamed(draw, told)
        for gang in draw_gangs(draw, pools):
            one_gang(report, cluster, bench, f"fleet {number} gang {' x '.join(map(str, gang))}", gang, told, others)
    cluster.cancel(*jobs)
    set_state(cluster, up, "DRAIN")


def notices_a_wrong_site(report, cluster, bench, seed):
    """A site that hides what is in use makes fit promise what the controller does not do."""
    inner = lib.Report(quiet=True)
    for number in range(1, 4):
        one_fleet(inner, cluster, bench, number, seed, hide=True)
    report.check("notices a site that hides what is in use", any("fit says fits, Slurm PENDING" in said for said in inner.failures), inner.failures)


def judge(report, shop):
    if not lib.sandbox_folder():
        return report.skip("sandbox", "slurm-pools", "no slurm-sandbox folder beside the checkout; MUSTER_SHARED names the folder that has it")
    groups = [word for kind, (nodes, gpus, cores, memory) in MACHINES.items() for word in ("--group", f"{kind}:{nodes}:h100:{gpus}:{cores}:{memory}")]
    cluster = sandbox.Cluster(shop, "pools", cases.Fleet(), options=(*groups, "--topology", "none"))
    error = cluster.up()
    if not report.check("a Slurm of unlike machines is up", not error, error):
        return None
    bench = cases.Bench(shop, "pool-files")
    set_state(cluster, [node for kind in MACHINES for node in hosts_of(kind)], "DRAIN")
    seed = int(os.environ.get("MUSTER_FLEETS_SEED", "20261124"))
    notices_a_wrong_site(report, cluster, bench, seed)
    for number in range(1, int(os.environ.get("MUSTER_FLEETS", "24")) + 1):
        one_fleet(report, cluster, bench, number, seed)
    report.say(f"fleets from seed {seed}")
    cluster.down()
    return None

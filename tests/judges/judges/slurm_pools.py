"""Random fleets of two to four unlike pools of one queue, some nodes drained, some in use: what `muster fit` answers, a
real controller does.

One controller has the nodes of several fleets, each as a partition of its own, and is asked about all of them at a time.
MUSTER_FLEETS is how many fleets (24), MUSTER_FLEETS_SEED where they start."""
import dataclasses
import os
import random
import re

from . import cases, lib, sandbox

MACHINES = {"big": (8, 112, 2_000_000), "lean": (8, 96, 500_000), "half": (4, 64, 1_000_000), "old": (4, 32, 250_000)}  # GPUs, cores, MiB
AT_A_TIME = 40  # fleets of one controller
SITE = """site pools {{
  {fleet}
  plane batch {{ kind = slurm  version = "{version}" }}
  queue main {{ name = "{queue}"  default = true }}
}}
"""
GANG = """workload gang {{
  kind = batch
  resources {{ {resources} }}
  command = ["probe"]
}}
"""
STATES = {"CONFIGURING": "fits", "RUNNING": "fits", "PENDING": "does-not-fit"}
TOO_LARGE = re.compile("Requested node configuration is not available|Node count specification invalid|More processors requested than permitted")


@dataclasses.dataclass
class Pool:
    """Machines of one kind; `use` has what is taken of a node: GPUs, cores, MiB."""
    name: str
    group: str  # how its nodes' names begin
    kind: str
    nodes: list
    drained: list
    use: dict

    def left(self, node):
        return [have - taken for have, taken in zip(MACHINES[self.kind], self.use.get(node, (0, 0, 0)))]

    def text(self):
        gpus, cores, memory = MACHINES[self.kind]
        lines = [f'nodes = "{",".join(self.nodes)}"', f"gpu {{ model = h100  memory = 80GB  count = {gpus} }}",
                 f"node {{ cpus = {cores}  memory = {memory}MiB }}"]
        if self.drained:
            lines.append(f'drained = "{",".join(self.drained)}"')
        for number, (node, (taken, cores, memory)) in enumerate(self.use.items()):
            lines.append(f'in-use job-{number} {{ nodes = "{node}"  gpus = {taken}  cpus = {cores}  memory = {memory}MiB }}')
        return f"  pool {self.name} {{\n" + "".join(f"    {line}\n" for line in lines) + "  }\n"


@dataclasses.dataclass
class Fleet:
    """The pools of one partition, and the gangs that are asked for."""
    number: int
    pools: list
    gangs: list
    told: list  # the pools as muster's site has them
    others: list  # the same under other names
    ready: bool = True

    def partition(self):
        return f"fleet{self.number}"

    def site(self, pools, version):
        head = SITE.format(version=version, queue=self.partition(), fleet="fleet = several" if pools else "")
        return head + ("fleet several {\n" + "".join(pool.text() for pool in pools) + "}\n" if pools else "")


@dataclasses.dataclass
class Gang:
    """`gpus`, `cores` and `memory` of a node; None: the workload leaves it open."""
    nodes: int
    gpus: int
    cores: int | None
    memory: int | None
    exclusive: bool

    def resources(self):
        words = [f"nodes = {self.nodes}"]
        words += [f"gpus = {self.gpus}  gpu = h100"] if self.gpus else []
        words += [f"cpus = {self.cores}"] if self.cores else []
        words += [f"memory = {self.memory}MiB"] if self.memory else []
        words += ["exclusive = true"] if self.exclusive else []
        return "  ".join(words)


# ---- what is drawn ---------------------------------------------------------------------------

def draw_use(draw, kind):
    gpus, cores, memory = MACHINES[kind]
    return draw.choice((1, gpus // 2, gpus)), draw.choice((1, cores // 4, cores // 2)), draw.choice((1000, memory // 4, memory // 2))


def draw_pool(draw, fleet, number):
    """Pools of one kind may meet in a fleet."""
    kind, group = draw.choice(list(MACHINES)), f"f{fleet}p{number}n"
    nodes = [f"{group}{place}" for place in range(1, draw.randint(1, 8) + 1)]
    drained = draw.sample(nodes, draw.choice((0, 0, 1, len(nodes) // 2)))
    use = {node: draw_use(draw, kind) for node in draw.sample(nodes, draw.randint(0, len(nodes))) if node not in drained}
    return Pool(f"p{number}", group, kind, nodes, drained, use)


def has_room(pool, node, gang):
    asked = gang.gpus, gang.cores or 1, gang.memory or 1
    return node not in pool.drained and not (gang.exclusive and node in pool.use) and all(have >= want for have, want in zip(pool.left(node), asked))


def draw_gangs(draw, pools):
    """Shapes at the edge of what is free, where a mistake of one shows."""
    for _ in range(3):
        gang = Gang(0, draw.choice((0, 1, 2, 4, 8)), draw.choice((1, 8, 30, 60)), draw.choice((1000, 100_000, 240_000, 400_000)), draw.random() < 0.2)
        if gang.gpus and draw.random() < 0.2:
            gang.cores = gang.memory = None
        free = sum(has_room(pool, node, gang) for pool in pools for node in pool.nodes)
        yield from (dataclasses.replace(gang, nodes=nodes) for nodes in (free, free + 1) if nodes)


def renamed(draw, pools):
    """The same fleet under other names, in another order."""
    names = [f"z{number}" for number in range(len(pools))]
    draw.shuffle(names)
    out = [dataclasses.replace(pool, name=name) for pool, name in zip(pools, names)]
    draw.shuffle(out)
    return out


def draw_fleet(number, seed, hide=False):
    draw = random.Random(seed * 1_000_003 + number)
    pools = [draw_pool(draw, number, place) for place in range(draw.randint(2, 4))]
    told = [dataclasses.replace(pool, use={}) for pool in pools] if hide else pools
    return Fleet(number, pools, list(draw_gangs(draw, pools)), told, renamed(draw, told))


# ---- the controller --------------------------------------------------------------------------

def start(shop, name, fleets):
    """A controller with these fleets, drained nodes drained; or the error as text."""
    partitions = shop.folder / f"{name}.conf"
    partitions.write_text("".join(f"PartitionName={fleet.partition()} Nodes={','.join(node for pool in fleet.pools for node in pool.nodes)} MaxTime=INFINITE\n" for fleet in fleets))
    groups = [f"{pool.group}:{len(pool.nodes)}:h100:{':'.join(map(str, MACHINES[pool.kind]))}" for fleet in fleets for pool in fleet.pools]
    options = ["--topology", "none", "--conf", partitions, *(word for group in groups for word in ("--group", group))]
    cluster = sandbox.Cluster(shop, name, cases.Fleet(), options=options)
    error = cluster.up()
    drained = [node for fleet in fleets for pool in fleet.pools for node in pool.drained]
    if not error and drained:
        error = lib.says(cluster.run("scontrol", "update", f"NodeName={','.join(drained)}", "State=DRAIN", "Reason=judge"))
    return cluster, error


def occupy(report, cluster, folder, fleets):
    """A job for each node in use; a fleet without all of its own is not asked about."""
    owner = {}
    for fleet in fleets:
        for node, (gpus, cores, memory) in ((node, use) for pool in fleet.pools for node, use in pool.use.items()):
            path = folder / "filler.sbatch"
            path.write_text("#!/bin/bash\n" + "".join(f"#SBATCH {option}\n" for option in (
                f"--partition={fleet.partition()}", "--nodes=1", f"--nodelist={node}", "--ntasks=1", f"--cpus-per-task={cores}", f"--gpus-per-node=h100:{gpus}", f"--mem={memory}")) + "sleep 600\n")
            owner[cluster.submit(path)] = fleet
    found = cluster.all_settled(owner)
    for job, fleet in owner.items():
        fleet.ready &= found[job] == [("CONFIGURING", "None")]
    for fleet in fleets:
        report.check(f"fleet {fleet.number} is set up", fleet.ready)


# ---- what is asked ---------------------------------------------------------------------------

@dataclasses.dataclass
class Asked:
    label: str
    verdict: str  # of fit, at level now
    job: object  # its number, or the refusal


def ask(report, cluster, bench, fleet, gang):
    """Fit's answer, and the job that is submitted; None after a failure."""
    label = f"fleet {fleet.number} gang {gang.resources()}"
    spec = bench.folder / "gang.muster"
    spec.write_text(GANG.format(resources=gang.resources()))
    case = cases.Case("gang", spec, "plain", {})
    site = lambda pools: lambda _: fleet.site(pools, bench.version)
    fit = bench.fit(case, site_edit=site(fleet.told))
    if not report.check(f"{label} has an answer", "levels" in fit, fit):
        return None
    report.equal(f"{label} under other names", bench.fit(case, site_edit=site(fleet.others)).get("levels"), fit["levels"])
    path = bench.compile(lib.Report(quiet=True), case, site_edit=site(fleet.told))
    if fit["levels"]["capacity"] == "does-not-fit":
        report.check(f"{label} writes nothing", path is None)
        path = bench.compile(report, case, site_edit=site([]))  # what is written where the fleet is not known
    if not report.check(f"{label} is written", path is not None):
        return None
    return Asked(label, fit["levels"]["now"], cluster.submit(path, cwd=bench.folder))


def compare(report, asked, seen):
    """A job that is refused as too large does not fit, either."""
    refusal = "PENDING" if TOO_LARGE.search(str(asked.job)) else "refused"
    state, reason = seen[asked.job][0] if asked.job in seen else (refusal, asked.job)
    report.check(f"{asked.label}: {asked.verdict}", asked.verdict == STATES.get(state), f"fit says {asked.verdict}, Slurm {state} {reason}")


def one_round(report, cluster, bench, fleets, place):
    """The gang at that place of each fleet."""
    asked = [ask(report, cluster, bench, fleet, fleet.gangs[place]) for fleet in fleets if fleet.ready and place < len(fleet.gangs)]
    asked = [one for one in asked if one]
    jobs = [one.job for one in asked if isinstance(one.job, int)]
    seen = cluster.all_settled(jobs)
    for one in asked:
        compare(report, one, seen)
    cluster.cancel(*jobs)


def ask_all(report, shop, bench, name, fleets):
    cluster, error = start(shop, name, fleets)
    if report.check(f"a Slurm of the fleets {fleets[0].number} to {fleets[-1].number} is up", not error, error):
        occupy(report, cluster, bench.folder, fleets)
        for place in range(max(len(fleet.gangs) for fleet in fleets)):
            one_round(report, cluster, bench, fleets, place)
    cluster.down()


def notices_a_wrong_site(report, shop, bench, seed):
    """A site that hides what is in use makes fit promise what the controller does not do."""
    inner = lib.Report(quiet=True)
    ask_all(inner, shop, bench, "hidden", [draw_fleet(number, seed, hide=True) for number in range(1, 4)])
    report.check("notices a site that hides what is in use", any("fit says fits, Slurm PENDING" in said for said in inner.failures), inner.failures)


def judge(report, shop):
    if not lib.sandbox_folder():
        return report.skip("sandbox", "slurm-pools", "no slurm-sandbox folder beside the checkout; MUSTER_SHARED names the folder that has it")
    bench = cases.Bench(shop, "pool-files")
    seed, count = int(os.environ.get("MUSTER_FLEETS_SEED", "20261124")), int(os.environ.get("MUSTER_FLEETS", "24"))
    notices_a_wrong_site(report, shop, bench, seed)
    for first in range(1, count + 1, AT_A_TIME):
        numbers = range(first, min(first + AT_A_TIME, count + 1))
        ask_all(report, shop, bench, f"pools-{first}", [draw_fleet(number, seed) for number in numbers])
    report.say(f"fleets from seed {seed}")
    return None

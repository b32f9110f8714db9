"""Random sites with limits: accounts and QOS of a real slurmdbd, partitions, and the same limits as keys of muster's
sites. What `muster fit` answers at the levels policy and now, a controller that enforces the limits does.

One controller has all sites of a round: each has a partition, nodes, a QOS and an account of its own.
MUSTER_LIMITS is how many sites (15), MUSTER_LIMITS_SEED where they start."""
import dataclasses
import os
import random
import re

from . import accounting, cases, lib

MACHINES = {"h100": (8, 112, 2_000_000), "a100": (4, 64, 500_000)}  # GPUs, cores, MiB of a node
AT_A_TIME = 50
TOGETHER = "*"  # the name of a quota that is of all pools together
SITE = """site limits {{
  {fleet}
  plane batch {{ kind = slurm  version = "{version}"  accounting = true }}
  queue main {{ name = "{name}"  qos = "{name}"  default = true{queue} }}
  queue other {{ name = "gpu" }}
  tenant team {{
    accounts = ["{name}"]
{tenant}  }}
}}
"""
WORK = """workload {name} {{
  kind = batch
  account = {account}
{lines}  resources {{ nodes = {nodes}  cpus = {cores}  memory = {memory}MiB{gpus} }}
  command = ["probe"]
}}
"""
LIMIT = re.compile("^(Assoc|QOS|PartitionTimeLimit|PartitionNodeLimit|AccountNotAllowed)|violates accounting/QOS policy|Requested time limit is invalid"
                   "|Invalid account|not permitted to use this partition|Node count specification invalid")
ROOM = re.compile("^(Resources|Nodes required for job|ReqNodeNotAvail)|Requested node configuration is not available|Node count specification invalid"
                  "|More processors requested than permitted")


@dataclasses.dataclass
class Limits:
    """Each None where the site has no such limit. `by` says which of two places of Slurm has it."""
    time: int | None = None  # minutes
    nodes: int | None = None
    gpus: int | None = None
    jobs: int | None = None
    default_time: int | None = None
    by: dict = dataclasses.field(default_factory=dict)
    quotas: dict = dataclasses.field(default_factory=dict)  # of a pool: gpus, nodes, cpus, memory in MiB
    closed: bool = False  # the account may use another partition only
    deny: bool = False  # the QOS refuses a job that is over its limits, instead of letting it wait


@dataclasses.dataclass
class Work:
    """`tasks` that start one by one; 1: a gang."""
    name: str
    nodes: int
    gpus: int
    model: str
    cores: int
    memory: int
    minutes: int | None
    tasks: int

    def text(self, account):
        lines = [f"time-limit = {self.minutes}m"] if self.minutes else []
        lines += [f"replicas = {self.tasks}", "gang = replica"] if self.tasks > 1 else []
        gpus = f"  gpus = {self.gpus}  gpu = {self.model}" if self.gpus else ""
        return WORK.format(name=self.name, account=account, nodes=self.nodes, cores=self.cores, memory=self.memory, gpus=gpus,
                           lines="".join(f"  {line}\n" for line in lines))


@dataclasses.dataclass
class Site:
    number: int
    pools: dict  # model: nodes
    busy: dict  # node: model; another account has all of it
    limits: Limits
    work: list
    aside: object = None  # the report of a site that muster is told no limit of
    started: list = dataclasses.field(default_factory=list)
    answers: list = dataclasses.field(default_factory=list)  # of each workload, beside those that started before it
    waited: bool = False  # one of them waits for nodes, and would run beside those after it later

    @property
    def name(self):
        return f"s{self.number}"


# ---- what is drawn ---------------------------------------------------------------------------

def draw_quota(draw, alone):
    """GrpTRES tells GPUs apart by their type, and nothing else."""
    quota = {"gpus": draw.choice((4, 8, 16, 24))} if draw.random() < 0.6 or not alone else {}
    for key, most in (("nodes", (1, 2, 4, 5)), ("cpus", (8, 64, 120, 240)), ("memory", (8000, 64_000, 250_000))):
        if alone and draw.random() < 0.3:
            quota[key] = draw.choice(most)
    return quota


def draw_limits(draw, pools):
    sometimes = lambda chance, *values: draw.choice(values) if draw.random() < chance else None
    out = Limits(sometimes(0.5, 20, 60, 120), sometimes(0.4, 1, 2, 3), sometimes(0.4, 4, 8, 16), sometimes(0.4, 1, 2, 3), deny=draw.random() < 0.3)
    out.default_time = sometimes(0.3, 10, 20)
    out.by = {"time": draw.choice(("qos", "partition")), "nodes": draw.choice(("qos", "partition")), "jobs": draw.choice(("qos", "association"))}
    if draw.random() < 0.7:
        out.quotas = {model: draw_quota(draw, len(pools) == 1) for model in pools}
    if len(pools) > 1 and draw.random() < 0.5:
        out.quotas[TOGETHER] = {"gpus": draw.choice((4, 8, 12, 16, 24))}
    out.closed = draw.random() < 0.06
    return out


def draw_work(draw, pools, place, last):
    model = draw.choice(list(pools))
    gpus, cores, _ = MACHINES[model]
    asked = draw.choice((gpus, gpus, gpus, 0)) if len(pools) == 1 else gpus
    # Whole nodes: where the controller puts one decides nothing for the next.
    return Work(f"w{place}", draw.choice((1, 1, 2, 2, 3, 4, 6)), asked, model, cores if not asked else draw.choice((4, 32, cores)),
                draw.choice((1000, 20_000, 60_000)), draw.choice((None, 10, 30, 90, 200)), draw.choice((1, 1, 4, 7)) if last else 1)


def draw_site(number, seed, aside=None):
    draw = random.Random(seed * 1_000_003 + number)
    models = draw.sample(list(MACHINES), draw.choice((1, 1, 2)))
    pools = {model: [f"s{number}{model[0]}n{place}" for place in range(1, draw.randint(3, 8) + 1)] for model in models}
    busy = {node: model for model, nodes in pools.items() for node in draw.sample(nodes, draw.choice((0, 0, 1, 2)))}
    count = draw.randint(1, 4)
    work = [draw_work(draw, pools, place, place == count) for place in range(1, count + 1)]
    return Site(number, pools, busy, draw_limits(draw, pools), work, aside)


# ---- the site as muster reads it -------------------------------------------------------------

def pool_text(site, model):
    gpus, cores, memory = MACHINES[model]
    busy = [node for node in site.busy if site.busy[node] == model]
    use = f'    in-use others {{ nodes = "{",".join(busy)}" }}\n' if busy else ""
    return (f'  pool {model} {{\n    nodes = "{",".join(site.pools[model])}"\n    gpu {{ model = {model}  memory = 80GB  count = {gpus} }}\n'
            f"    node {{ cpus = {cores}  memory = {memory}MiB }}\n{use}  }}\n")


def quota_text(model, quota):
    words = [f"{key} = {value}{'MiB' if key == 'memory' else ''}" for key, value in quota.items()]
    model = f'"{model}"' if model == TOGETHER else model
    return f"    quota {model} {{ {'  '.join(words)} }}\n" if words else ""


def site_text(site, version, limits):
    """Without a fleet and limits: what is written then is what is submitted where muster refuses."""
    if limits is None:
        return SITE.format(name=site.name, fleet="", version=version, queue="", tenant="")
    keys = (("max-time", limits.time, "m"), ("max-nodes", limits.nodes, ""), ("max-gpus", limits.gpus, ""), ("max-jobs", limits.jobs, ""), ("default-time", limits.default_time, "m"))
    queue = "".join(f"  {key} = {value}{unit}" for key, value, unit in keys if value is not None)
    tenant = ("    queues = [other]\n" if limits.closed else "") + "".join(quota_text(model, quota) for model, quota in limits.quotas.items())
    text = SITE.format(name=site.name, fleet="fleet = several", version=version, queue=queue, tenant=tenant)
    return text + "fleet several {\n" + "".join(pool_text(site, model) for model in site.pools) + "}\n"


# ---- the site as Slurm has it ----------------------------------------------------------------

def partition_line(site):
    limits, words = site.limits, [f"PartitionName={site.name}", f"Nodes={','.join(node for nodes in site.pools.values() for node in nodes)}"]
    words.append(f"MaxTime={limits.time if limits.time and limits.by['time'] == 'partition' else 'INFINITE'}")
    words += [f"DefaultTime={limits.default_time}"] if limits.default_time else []
    words += [f"MaxNodes={limits.nodes}"] if limits.nodes and limits.by["nodes"] == "partition" else []
    words.append(f"AllowAccounts={'others' if limits.closed else f'{site.name},others'}")
    return " ".join(words)


def qos_words(site):
    limits = site.limits
    tres = [f"node={limits.nodes}"] if limits.nodes and limits.by["nodes"] == "qos" else []
    tres += [f"gres/gpu={limits.gpus}"] if limits.gpus else []
    words = [f"MaxTRESPerJob={','.join(tres)}"] if tres else []
    words += [f"MaxWall={limits.time}"] if limits.time and limits.by["time"] == "qos" else []
    words += [f"MaxJobsPerUser={limits.jobs}"] if limits.jobs and limits.by["jobs"] == "qos" else []
    return words + (["Flags=DenyOnLimit"] if limits.deny else [])


def group_tres(site):
    names = {"nodes": "node", "cpus": "cpu", "memory": "mem"}
    for model, quota in site.limits.quotas.items():
        for key, value in quota.items():
            typed = "" if model == TOGETHER else f":{model}"
            yield f"gres/gpu{typed}={value}" if key == "gpus" else f"{names[key]}={value}{'M' if key == 'memory' else ''}"


def association_lines(sites, user):
    yield "Cluster - 'sandbox'"
    yield "Parent - 'root'"
    yield "User - 'root':DefaultAccount='root':AdminLevel='Administrator'"
    yield "Account - 'others'"
    for site in sites:
        tres = ",".join(group_tres(site))
        yield f"Account - '{site.name}'" + (f":GrpTRES='{tres}'" if tres else "") + f":QOS='{site.name}'"
    yield "Parent - 'others'"
    yield f"User - '{user}'"
    for site in sites:
        jobs = site.limits.jobs if site.limits.by["jobs"] == "association" else None
        yield f"Parent - '{site.name}'"
        yield f"User - '{user}'" + (f":MaxJobs={jobs}" if jobs else "")


class Limited(accounting.Cluster):
    """A controller with these sites and their database; jobs are those of an ordinary user where that is possible."""

    def __init__(self, shop, name, sites):
        super().__init__(shop, name)
        self.sites = sites
        groups = [f"{nodes[0][:-1]}:{len(nodes)}:{model}:{':'.join(map(str, MACHINES[model]))}" for site in sites for model, nodes in site.pools.items()]
        conf = shop.folder / f"{name}.conf"
        conf.write_text(self.database.conf("AccountingStorageTRES=gres/gpu,gres/gpu:h100,gres/gpu:a100") + "".join(f"{partition_line(site)}\n" for site in sites))
        self.options = ["--topology", "none", "--conf", conf, *(word for group in groups for word in ("--group", group))]

    def declare(self):
        said = self.load(((site.name, " ".join(qos_words(site))) for site in self.sites), association_lines(self.sites, self.user))
        known = self.run("sacctmgr", "-n", "-P", "show", "assoc", "format=account,user,qos").stdout.splitlines()
        return None if all(f"{site.name}|{self.user}|{site.name}" in known for site in self.sites) else said


# ---- what is asked ---------------------------------------------------------------------------

def occupy(report, cluster, folder):
    path, jobs = folder / "filler.sbatch", []
    for site in cluster.sites:
        for node, model in site.busy.items():
            gpus, cores, _ = MACHINES[model]
            path.write_text("#!/bin/bash\n" + "".join(f"#SBATCH {option}\n" for option in (
                "--account=others", "--qos=normal", f"--partition={site.name}", "--nodes=1", f"--nodelist={node}", "--exclusive", f"--gpus-per-node={model}:{gpus}",
                "--mem=0", "--time=5")) + "sleep 600\n")
            jobs.append(cluster.submit(path))
    found = cluster.all_settled([job for job in jobs if isinstance(job, int)])
    started = sum(tasks == [("CONFIGURING", "None")] for tasks in found.values())
    report.equal("jobs of others started", started, len(jobs))


def case_of(bench, site, works):
    spec = bench.folder / f"{site.name}.muster"
    spec.write_text("".join(work.text(site.name) for work in works))
    return cases.Case(site.name, spec, "plain", {})


def told(site, version):
    limits = Limits() if site.aside else site.limits
    return lambda _: site_text(site, version, limits)


def ask_fit(report, bench, site, works):
    """The answer for each; [] after a failure."""
    fit = bench.fit(case_of(bench, site, works), site_edit=told(site, bench.version))
    answers = fit.get("workloads", [])
    return answers if report.check(f"site {site.number} {works[-1].name} has an answer", len(answers) == len(works), fit) else []


def levels_of(answer):
    return {name: answer["levels"][name]["verdict"] for name in ("policy", "now")}


def submit(report, cluster, bench, site, work):
    """What muster writes; where it refuses, what it writes when it knows of no limit."""
    case, quiet = case_of(bench, site, [work]), lib.Report(quiet=True)
    path = bench.compile(quiet, case, site_edit=told(site, bench.version)) or bench.compile(report, case, site_edit=lambda _: site_text(site, bench.version, None))
    return cluster.submit(path, cwd=bench.folder) if path else None


def kinds(text):
    return {kind for kind, pattern in (("limit", LIMIT), ("room", ROOM)) if pattern.search(str(text).removeprefix("sbatch: error: Batch job submission failed: "))}


def started(tasks):
    return sum(state in ("CONFIGURING", "RUNNING") for state, _ in tasks)


def compare(report, label, answer, work, job, tasks):
    """Started, or not for a reason that fit's levels name."""
    levels, count = levels_of(answer), started(tasks)
    told_so = f"fit says policy {levels['policy']}, now {levels['now']}"
    if count:
        at_once = answer["at_once"]
        possible = min(at_once["policy"] or 0, at_once["now"] or 0) if work.tasks > 1 else 1
        good = set(levels.values()) == {"fits"} and count == possible
        return report.check(f"{label} starts, {count} of {work.tasks}", good, f"{told_so}, {possible} at once; Slurm starts {count}")
    why = tasks[0][1] if tasks else job
    expected = {kind for kind, level in (("limit", "policy"), ("room", "now")) if levels[level] == "does-not-fit"}
    return report.check(f"{label} does not start: {' and '.join(sorted(expected)) or 'fits'}", kinds(why) & expected, f"{told_so}; Slurm: {why}")


def one_round(report, cluster, bench, place):
    """The workload at that place of each site, beside those before it that are running."""
    asked = {}
    for site in (site for site in cluster.sites if len(site.answers) == place < len(site.work)):
        answers = ask_fit(site.aside or report, bench, site, [*site.started, site.work[place]])
        if answers:
            site.answers.append(answers[-1])
            asked[site.number] = submit(site.aside or report, cluster, bench, site, site.work[place])
    seen = cluster.all_settled([job for job in asked.values() if isinstance(job, int)])
    for site in (site for site in cluster.sites if site.number in asked):
        job, work, answer = asked[site.number], site.work[place], site.answers[place]
        tasks = seen.get(job, [])
        compare(site.aside or report, f"site {site.number} {work.name}", answer, work, job, tasks)
        if started(tasks):
            site.started.append(work)
        elif isinstance(job, int):
            cluster.run("scancel", str(job))
        site.waited |= not started(tasks) and answer["levels"]["policy"]["verdict"] == "fits"


def together(report, bench, site):
    """As one file the workloads have the same answers, unless one waits that the file places before others."""
    if len(site.answers) == len(site.work) and not site.waited:
        answers = ask_fit(report, bench, site, site.work)
        report.equal(f"site {site.number} as one file", [levels_of(answer) for answer in answers], [levels_of(answer) for answer in site.answers])


def ask_all(report, shop, bench, name, sites):
    cluster = Limited(shop, name, sites)
    error = cluster.up()
    if report.check(f"a Slurm with the limits of {len(sites)} sites from {sites[0].number} is up", not error, error):
        occupy(report, cluster, bench.folder)
        for place in range(max(len(site.work) for site in sites)):
            one_round(report, cluster, bench, place)
        for site in sites:
            together(site.aside or report, bench, site)
    cluster.down()


def notices_a_wrong_site(report, aside):
    """A site that hides its limits makes fit promise what the controller does not do."""
    seen = [said for said in aside.failures if re.search("fit says policy fits.*Slurm: (Assoc|QOS|.*violates accounting)", said)]
    report.check("notices a site that hides its limits", seen, aside.failures)


def judge(report, shop):
    if not lib.sandbox_folder():
        return report.skip("sandbox", "slurm-limits", "no slurm-sandbox folder beside the checkout; MUSTER_SHARED names the folder that has it")
    why_not = accounting.install()
    if why_not:
        return report.skip("slurmdbd", "slurm-limits", why_not)
    bench = cases.Bench(shop, "limit-files")
    seed, count = int(os.environ.get("MUSTER_LIMITS_SEED", "20261124")), int(os.environ.get("MUSTER_LIMITS", "15"))
    aside = lib.Report(quiet=True)
    wrong = [draw_site(1_000_000 + number, seed, aside) for number in range(1, 7)]
    for first in range(1, count + 1, AT_A_TIME):
        numbers = range(first, min(first + AT_A_TIME, count + 1))
        ask_all(report, shop, bench, f"limits-{first}", [*(draw_site(number, seed) for number in numbers), *(wrong if first == 1 else [])])
    notices_a_wrong_site(report, aside)
    report.say(f"sites from seed {seed}")
    return None

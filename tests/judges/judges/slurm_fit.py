"""Job scripts on random fleets: what `muster fit` answers about a script at the levels capacity and policy, and what
`sbatch --test-only` of a real controller does with the same script.

Scripts are drawn at the edge of what their partition takes, and each that Slurm takes is asked for once more with one
node, or one GPU, too many: muster and Slurm must both refuse it, and `muster lint` must report it as an error.
MUSTER_FIT_SCRIPTS is how many scripts are drawn for a fleet (40), MUSTER_FIT_SEED where they start.
The same requests are asked for in scripts of PBS and LSF, about which only muster is asked: the answer is Slurm's to the sbatch script.
MUSTER_FIT_CORPUS is a folder of scripts of other people, of which MUSTER_FIT_SCRIPTS are taken too; CI has none."""
import collections
import dataclasses
import json
import os
import pathlib
import random
import re

from . import cases, lib, sandbox

FLEETS = (  # the name of its group; nodes, GPUs, cores, MiB of a node
    ("h100", 64, 8, 112, 2_000_000),
    ("a100", 12, 4, 64, 500_000),
    ("l40s", 3, 2, 32, 250_000),
)
SITE = """fleet made {{
  pool {model} {{
    nodes = "{hosts}"
    gpu   {{ model = {model}  memory = 80GB  count = {gpus} }}
    node  {{ cpus = {cores}  memory = {memory}MiB }}
  }}
}}
site made {{
  fleet = made
  plane batch {{ kind = slurm  version = "{version}"  array-max = 1000 }}
  queue gpu   {{ default = true }}
  queue low   {{ preemptible = true }}
  queue short {{ max-time = {hours}h  max-nodes = {most} }}
}}
"""
PARTITION = "PartitionName=short Nodes=ALL State=UP MaxTime={hours}:00:00 MaxNodes={most}\n"
HOURS = 24


@dataclasses.dataclass
class Fleet:
    """One controller's nodes, and the limits of its partition `short`."""
    model: str
    nodes: int
    gpus: int
    cores: int
    memory: int

    def hosts(self):
        width = len(str(self.nodes))
        return f"n[{1:0{width}}-{self.nodes}]"

    def most(self):
        """Nodes of a job in partition `short`."""
        return max(self.nodes // 2, 1)


# ---- what is drawn ---------------------------------------------------------------------------

def near(draw, most):
    """Mostly a number at the edge."""
    return max(1, draw.choice((1, most // 2, most - 1, most, most, most + 1, most + 2, draw.randint(1, most))))


def of_nodes(draw, fleet):
    options = [f"--nodes={near(draw, fleet.nodes)}"]
    tasks = draw.choice((None, 1, 2, fleet.gpus))
    if tasks:
        options.append(f"--ntasks-per-node={tasks}")
    if draw.random() < 0.5:
        options.append(f"--cpus-per-task={near(draw, fleet.cores // (tasks or 1))}")
    return options


def of_tasks(draw, fleet):
    """Slurm chooses the nodes."""
    each = draw.choice((1, 2, 8, fleet.cores // 2, fleet.cores))
    return [f"--ntasks={near(draw, fleet.nodes * (fleet.cores // each))}", f"--cpus-per-task={each}"]


def of_gpus(draw, fleet, kind):
    typed = f"{fleet.model}:" if draw.random() < 0.5 else ""
    if kind == "total":
        return [f"--gpus={typed}{near(draw, fleet.nodes * fleet.gpus)}"]
    spelling = draw.choice(("--gpus-per-node={}{}", "--gres=gpu:{}{}"))
    return [spelling.format(typed, near(draw, fleet.gpus))]


def of_memory(draw, fleet):
    return draw.choice(([f"--mem={near(draw, fleet.memory)}M"], [f"--mem-per-cpu={near(draw, fleet.memory // fleet.cores)}M"], ["--mem=0"], ["--exclusive"]))


def draw_options(draw, fleet):
    kind = draw.choice(("nodes", "nodes", "tasks", "total"))
    options = of_tasks(draw, fleet) if kind == "tasks" else of_nodes(draw, fleet) if kind == "nodes" else [f"--nodes={near(draw, fleet.nodes)}"]
    if kind == "total" or draw.random() < 0.7:
        options += of_gpus(draw, fleet, kind) if kind != "tasks" else []
    if draw.random() < 0.4:
        options += of_memory(draw, fleet)
    if draw.random() < 0.2:
        options.append(f"--nodelist=n{draw.randint(1, fleet.nodes):0{len(str(fleet.nodes))}}")
    if draw.random() < 0.2:
        options.append(f"--time={draw.choice((1, 23, 24, 25, 48))}:00:00")
    if draw.random() < 0.3:
        options.append(f"--partition={draw.choice(('gpu', 'low', 'short', 'gpu,low', 'shrot'))}")
    if draw.random() < 0.15:
        options.append(f"--array=0-{draw.choice((3, 99))}")
    return options


def script(options):
    return "#!/bin/bash\n" + "".join(f"#SBATCH {option}\n" for option in options) + "srun hostname\n"


# ---- what both say ---------------------------------------------------------------------------

@dataclasses.dataclass
class Bench:
    shop: object
    folder: pathlib.Path
    site: pathlib.Path
    cluster: object

    def fit(self, path):
        """The worse of the levels that ask whether it can ever start, and why."""
        done = self.shop.ask("fit", path, "--site", self.site, "--format", "json")
        if not done.stdout.startswith("{"):
            return "none", lib.says(done)
        told = json.loads(done.stdout)
        levels = [told["levels"]["capacity"], told["levels"]["policy"]]
        worst = next((v for v in ("does-not-fit", "unknown") if v in levels), "fits")
        return worst, json.dumps(told["workloads"][0].get("certificate") or told["workloads"][0]["levels"])

    def takes(self, path):
        done = self.cluster.test_only(path)
        return done.returncode == 0, lib.says(done)

    def linted(self, path):
        done = self.shop.ask("lint", path, "--site", self.site, "-o", "json", "--fail-level", "error")
        return done.returncode == 1


def compared(report, bench, label, path, counts):
    """Whether Slurm takes the script."""
    verdict, why = bench.fit(path)
    taken, says = bench.takes(path)
    counts[verdict] += 1
    wanted = {"fits": True, "does-not-fit": False}.get(verdict)
    if verdict == "none" or wanted is not None:
        report.check(f"{label}: {verdict}", wanted == taken, f"fit: {why[:300]}; sbatch: {says[:200]}; {path.read_text()[:600]}")
    return taken, verdict


def too_much(text, fleet):
    """The script with one node, and with one GPU, more than there are."""
    if "--nodes=" in text:
        yield "a node too many", re.sub(r"--nodes=\d+", f"--nodes={fleet.nodes + 1}", text)
    if re.search(r"--gpus-per-node=|--gres=gpu", text):
        yield "a GPU too many", re.sub(r"(--gpus-per-node=|--gres=gpu:)(\w+:)?\d+", rf"\g<1>\g<2>{fleet.gpus + 1}", text)


def drawn(report, bench, fleet, seed, count):
    draw, counts, blocked, mutants = random.Random(seed), collections.Counter(), 0, 0
    for number in range(count):
        text = script(draw_options(draw, fleet))
        path = bench.folder / f"{fleet.model}-{number}.sbatch"
        path.write_text(text)
        taken, _ = compared(report, bench, f"{fleet.model} script {number}", path, counts)
        for what, mutant in too_much(text, fleet) if taken else ():
            path.write_text(mutant)
            mutants += 1
            taken_too, verdict = compared(report, bench, f"{fleet.model} script {number} with {what}", path, counts)
            blocked += bench.linted(path)
            report.check(f"{fleet.model} script {number} with {what} is refused by both", verdict == "does-not-fit" and not taken_too, verdict)
    report.equal(f"{fleet.model}: scripts with too much that lint blocks", blocked, mutants)
    report.check(f"{fleet.model}: {dict(counts)}", counts["unknown"] * 5 <= sum(counts.values()), counts)


def of_people(report, bench, fleet, seed, count):
    """Scripts of a corpus: their partitions, accounts and features are not this cluster's, so these lines go."""
    folder = os.environ.get("MUSTER_FIT_CORPUS")
    if not folder:
        return
    counts, gone = collections.Counter(), r"^#SBATCH\s+(-p|--partition|-A|--account|-q|--qos|-C|--constraint|--reservation|-L|--licenses|-D|--chdir|--mail|-w|--nodelist|-x|--exclude|-M|--clusters?|-d|--dependency|--begin)\b.*\n"
    names = sorted(path for path in pathlib.Path(folder).iterdir() if path.is_file() and path.suffix != ".tsv")
    for number, source in enumerate(random.Random(seed).sample(names, min(count, len(names)))):
        text = re.sub(gone, "", source.read_bytes().decode("utf-8", "replace"), flags=re.M)
        if not re.search("^#SBATCH", text, flags=re.M):
            continue
        path = bench.folder / f"corpus-{number}.sbatch"
        path.write_text(re.sub(r"(gpu|gpus|gpus-per-node=|gpus=)(:|=)?[a-zA-Z][\w.]*:(\d)", r"\1\2\3", text))
        compared(report, bench, f"corpus {source.name}", path, counts)
    report.check(f"corpus: {dict(counts)}", True)


# ---- PBS and LSF -------------------------------------------------------------------------------

def in_three_languages(nodes, cpus, gpus, hours):
    """One request as its people would write it for each system: so many nodes, and of each so much."""
    yield "pbs", f"#!/bin/bash\n#PBS -l select={nodes}:ncpus={cpus}:ngpus={gpus}:mpiprocs=1\n#PBS -l place=scatter\n#PBS -l walltime={hours}:00:00\nmpirun hostname\n"
    yield "lsf", f'#!/bin/bash\n#BSUB -n {nodes * cpus}\n#BSUB -R "span[ptile={cpus}]"\n#BSUB -gpu "num={gpus}"\n#BSUB -W {hours}:00\nmpirun hostname\n'
    yield "sbatch", script([f"--nodes={nodes}", "--ntasks-per-node=1", f"--cpus-per-task={cpus}", f"--gpus-per-node={gpus}", f"--time={hours}:00:00"])


def of_other_systems(report, bench, fleet, seed, count):
    """What fit answers about a script of PBS or LSF is what Slurm does with the same request in its own words."""
    draw, counts = random.Random(seed), collections.Counter()
    for number in range(count):
        wanted = near(draw, fleet.nodes), near(draw, fleet.cores), near(draw, fleet.gpus), draw.choice((1, 24, 48))
        texts = dict(in_three_languages(*wanted))
        path = bench.folder / f"other-{number}.sbatch"
        path.write_text(texts.pop("sbatch"))
        taken, says = bench.takes(path)
        for system, text in texts.items():
            asked = bench.folder / f"other-{number}.{system}"
            asked.write_text(text)
            verdict, why = bench.fit(asked)
            counts[system, verdict] += 1
            report.check(f"{fleet.model} {system} {number}: {verdict}", verdict == ("fits" if taken else "does-not-fit"), f"{wanted}: fit: {why[:300]}; sbatch: {says[:200]}")
    for system in ("pbs", "lsf"):
        report.check(f"{fleet.model} {system}: some fit and some do not", min(counts[system, v] for v in ("fits", "does-not-fit")) > 0, counts)


def notices_a_wrong_site(report, bench, fleet):
    """A site with one node more makes fit say what the controller does not do."""
    wrong = bench.folder / "wrong.muster"
    wrong.write_text(bench.site.read_text().replace(fleet.hosts(), f"n[1-{fleet.nodes + 1}]"))
    path = bench.folder / "wrong.sbatch"
    path.write_text(script([f"--nodes={fleet.nodes + 1}"]))
    inner = lib.Report(quiet=True)
    compared(inner, dataclasses.replace(bench, site=wrong), "wrong", path, collections.Counter())
    report.check("notices a site with a node too many", inner.failed == 1, inner.failures)


def judge(report, shop):
    if not lib.sandbox_folder():
        return report.skip("sandbox", "slurm-fit", "no slurm-sandbox folder beside the checkout; MUSTER_SHARED names the folder that has it")
    seed, count = int(os.environ.get("MUSTER_FIT_SEED", "20261125")), int(os.environ.get("MUSTER_FIT_SCRIPTS", "40"))
    for number, row in enumerate(FLEETS):
        fleet = Fleet(*row)
        folder = shop.place(f"fit-{fleet.model}")
        conf = folder / "more.conf"
        conf.write_text(PARTITION.format(hours=HOURS, most=fleet.most()))
        options = ("--topology", "none", "--conf", conf, "--group", f"n:{fleet.nodes}:{fleet.model}:{fleet.gpus}:{fleet.cores}:{fleet.memory}")
        cluster = sandbox.Cluster(shop, f"fit-cluster-{fleet.model}", cases.Fleet(), options=options)
        error = cluster.up()
        if not report.check(f"the controller of {fleet.model} is up", not error, error):
            continue
        site = folder / "site.muster"
        site.write_text(SITE.format(model=fleet.model, hosts=fleet.hosts(), gpus=fleet.gpus, cores=fleet.cores, memory=fleet.memory,
                                    version=".".join(cluster.version().split(".")[:2]), hours=HOURS, most=fleet.most()))
        bench = Bench(shop, folder, site, cluster)
        drawn(report, bench, fleet, seed + number, count)
        of_other_systems(report, bench, fleet, seed + number, count)
        if number == 0:
            of_people(report, bench, fleet, seed, count)
        notices_a_wrong_site(report, bench, fleet)
        cluster.down()
    return None

"""Random queues of gangs on random nodes, submitted one after the other: what the cluster does with each, beside what
`muster fit` says of it on the nodes as they then are.

They may differ for a reason of REASONS only, which is known from nodes, quota and gang before the cluster is asked, and
which docs/reference/fit.md lists. The queue in which one was met runs again without their causes: there is no difference."""
import dataclasses
import json
import pathlib
import random
import re
import time

from . import gangs, one_by_one, pods
from .queues import number

AT_ONCE = 10
PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/reference/fit.md"
KINDS = {"kueue": ("job", "jobset", "pytorchjob", "trainjob", "mpijob", "rayjob", "lws"),
         "volcano": ("volcano-job", "job", "jobset", "pytorchjob", "mpijob", "rayjob", "lws")}
KINDS["kueue-topology"] = KINDS["kueue"]
ROLES = ("jobset", "volcano-job")  # kinds that have several roles
REPLICAS = ("job", "jobset", "volcano-job")
NODE_CPUS, NODE_MEMORY = 64, 10**12 >> 20  # of a node with GPUs; MiB

# Why a cluster may do something else than fit says: the name of the reason in the docs and in what fit says, and what
# the gang does then. The last provider lacks the cause of both; the first has half as many queues as the others.
ADMITTED, ONE_BY_ONE = "admits by quota", "places pods one by one"
REASONS = {ADMITTED: ("runs in part",), ONE_BY_ONE: ("runs in part", "waits")}
FEWER, WITHOUT = "kueue", "kueue-topology"
MOST = 0.03  # of all gangs


@dataclasses.dataclass
class Role:
    name: str
    pods: int
    gpus: int
    cpus: int
    memory: str
    replicas: int = 1

    @property
    def size(self):
        return self.pods * self.replicas

    def amounts(self):
        """Of a pod: GPUs, CPUs, MiB."""
        return self.gpus, self.cpus, number(self.memory.removesuffix("B")) >> 20

    def resources(self):
        return f"resources {{ nodes = {self.pods}  gpus = {self.gpus}  gpu = h100  cpus = {self.cpus}  memory = {self.memory} }}"

    def text(self):
        return f"role {self.name} {{ {f'replicas = {self.replicas}  ' if self.replicas > 1 else ''}{self.resources()} }}"


@dataclasses.dataclass
class Gang:
    name: str
    roles: list
    more: str = ""

    @property
    def size(self):
        return sum(role.size for role in self.roles)

    @property
    def gpus(self):
        return sum(role.size * role.gpus for role in self.roles)

    def words(self):
        """As `Cell.write` takes them."""
        if len(self.roles) > 1:
            return {"roles": "\n  ".join(role.text() for role in self.roles), "more": self.more}
        role, = self.roles
        return {"roles": role.resources(), "more": f"{self.more}\n  replicas = {role.replicas}" if role.replicas > 1 else self.more}

    def __str__(self):
        return f"{self.name} ({'; '.join(role.text() for role in self.roles)} {self.more})".replace("  ", " ")


@dataclasses.dataclass
class Answer:
    """What fit says of a gang, a verdict each; the reason that it gives why the cluster may do something else; and the one that holds."""
    verdict: str
    levels: dict
    otherwise: str = ""
    reason: str = ""

    @property
    def says(self):
        return next((reason for reason in REASONS if reason in self.otherwise), "")


class Queue:
    """One random queue; the same seed is the same queue. `without`: the same one on a provider without the causes of the reasons."""

    def __init__(self, lab, provider, seed, without=False):
        self.seed, self.drawn_for = seed, provider
        self.label = f"queue {seed} on {provider}"
        dice = random.Random(self.label)
        kind = dice.choice(KINDS[provider])
        if without and kind not in KINDS[WITHOUT]:
            kind = "jobset"
        self.cell = gangs.Cell(lab, kind, WITHOUT if without else provider, f"queue {seed}", dice.randint(2, 6))
        self.cell.leaf = dice.choice((2, 3, self.cell.count))
        has = self.cell.count * gangs.GPUS
        self.quota = dice.choice((has - 8, has - 4, has * 3 // 4, has // 2)) if dice.random() < 0.3 else None
        if without:
            self.label += f", run on {WITHOUT}"

    # ---- what is drawn -----------------------------------------------------------------------

    def role(self, name, most=12):
        """A role of at most so many pods, on as many nodes as there are or closer together."""
        gpus = self.dice.choice((1, 2, 4, 8, 8, 8))
        cpus = self.dice.choice((gangs.CPUS,) * 4 + (14, 30, 60))
        memory = self.dice.choice((gangs.MEMORY,) * 4 + ("100GiB", "200GiB", "440GiB"))
        wide = self.cell.count if self.dice.random() < 0.75 else self.cell.count * (gangs.GPUS // gpus)
        return Role(name, self.dice.randint(1, min(wide, most)), gpus, cpus, memory)

    def gang(self, name):
        near = "topology { within = leaf }" if self.dice.random() < 0.3 and self.cell.topology else ""
        kind, chance = self.cell.kind, self.dice.random()
        if kind in ROLES and chance < 0.3:
            return Gang(name, [self.role("lead", 2), self.role("rest", 8)])
        if kind in REPLICAS and chance > 0.8:
            role = self.role("main", 4)
            role.replicas = self.dice.choice((2, 2, 3))
            return Gang(name, [role], near)
        return Gang(name, [self.role("main")], near)

    # ---- what happens ------------------------------------------------------------------------

    def run(self):
        """What differs: [(reason or "", sentence)]; and of each gang that was compared the reason that fit gives, "" for none."""
        self.dice = random.Random(f"queue {self.seed} on {self.drawn_for}: gangs")
        found, reasons, count = [], [], self.dice.randint(2, 12)
        try:
            self.cell.fresh().open(gpus=self.quota)
            self.cell.site = self.cell.folder / "large.muster"  # muster writes what does not fit, too
            self.cell.pretended = 200
            self.cell.site.write_text(self.cell.site_text())
            self.cell.pretended = 0
            for place in range(count):
                gang = self.gang(f"w{place}")
                answer, wrong = self.ask(gang)
                reasons.append(answer.says)
                found += [("", sentence) for sentence in wrong] + self.step(gang, answer)
        except LookupError as refused:
            found.append(("", f"muster does not write a gang: {refused}"))
        finally:
            self.cell.close()
        return found, reasons

    def step(self, gang, answer):
        self.cell.submit(gang.name, 0, **gang.words())
        did = self.outcome(gang, answer.verdict == "fits")
        found = []
        if did != ("runs" if answer.verdict == "fits" else "waits"):
            excused = answer.reason if did in REASONS.get(answer.reason, ()) else ""
            found = [(excused, f"{gang} {did} ({len(self.cell.running(gang.name))} of {gang.size} pods), and fit says {answer.verdict} {answer.levels}: {self.cell.why()}")]
        if did != "runs":  # it must not start later in the place of another
            self.remove(gang)
        return found

    def outcome(self, gang, expected):
        """`runs`, `waits` or `runs in part`, once the cluster has decided."""
        if expected and self.cell.starts(gang.name, gang.size, 40):
            return "runs"
        patience = self.cell.lab.patience
        quiet = patience * (2.0 if self.cell.gang == "kueue" else 4.0)
        end, before, last = time.monotonic() + 40 * patience, None, time.monotonic()
        while time.monotonic() < end:
            shape, decided = self.state_of(gang)
            if shape.get("Running", 0) == gang.size:
                return "runs"
            if shape != before or not decided:
                before, last = shape, time.monotonic()
            if time.monotonic() - last > quiet:
                break
            time.sleep(pods.PAUSE)
        return "runs in part" if self.cell.running(gang.name) else "waits"

    def state_of(self, gang):
        """How many of its pods are in which state, and whether whoever admits gangs has seen it."""
        mine = self.cell.of(gang.name)
        shape = {}
        for pod in mine:
            shape[pods.state(pod)] = shape.get(pods.state(pod), 0) + 1
        if self.cell.gang != "kueue":
            groups = [group for group in self.cell.space.held("podgroups") if owned(group, gang.name)]
            return shape, bool(groups)
        held = [thing for thing in self.cell.space.held("workloads") if owned(thing, gang.name)]
        said = [next((c["status"] for c in (thing.get("status") or {}).get("conditions") or [] if c["type"] == "QuotaReserved"), "") for thing in held]
        return {**shape, "admitted": said.count("True")}, bool(said) and all(said)

    def remove(self, gang):
        self.cell.delete(gang.name)
        self.cell.space.until(lambda: not self.cell.of(gang.name) and not any(owned(thing, gang.name) for thing in self.cell.space.held("workloads")), 20)

    # ---- what muster says --------------------------------------------------------------------

    def ask(self, gang):
        """Of the nodes as they are. Under other names of nodes, pools and workloads it says the same, or that is wrong."""
        running = [pod for pod in self.cell.space.pods() if pod["spec"].get("nodeName") and pods.state(pod) == "Running"]
        left = None if self.quota is None else self.quota - sum(pods.gpus(pod) for pod in running)
        site = self.cell.site_text(self.in_use(running, "n"), self.in_use(running, "cpu"), left)
        spec = self.cell.write(gang.name, 0, **gang.words()).read_text()
        answer = self.fit(gang.name, spec, site)
        other = self.fit("zz-other", spec.replace(f"workload {gang.name} ", "workload zz-other "), renamed(site, self.cell.count))
        wrong = [] if (answer.verdict, answer.levels) == (other.verdict, other.levels) else [f"{gang}: fit says {answer.verdict} {answer.levels}, and under other names {other.verdict} {other.levels}"]
        answer.reason = self.reason(gang, answer, running)
        if answer.reason and answer.reason != answer.says:
            wrong.append(f"{gang}: fit does not say `{answer.reason}`: {answer.otherwise}")
        return answer, wrong

    def fit(self, name, spec, site):
        folder = self.cell.folder / "asked"
        folder.mkdir(exist_ok=True)
        paths = folder / f"{name}.muster", folder / f"{name}.site.muster"
        for path, text in zip(paths, (spec, site)):
            path.write_text(text)
        done = self.cell.lab.ask("fit", paths[0], "--site", paths[1], "--root", folder, "--format", "json", "--quiet")
        if done.returncode not in (0, 1):
            raise LookupError(done.stderr)
        said, = json.loads(done.stdout)["workloads"]
        return Answer(said["verdict"], {level: said["levels"][level]["verdict"] for level in ("capacity", "policy", "now")}, said.get("otherwise", ""))

    def reason(self, gang, answer, running):
        """From the nodes, the quota and the gang alone."""
        if self.cell.provider == WITHOUT:
            return ""
        free = {f"n{i + 1}": (gangs.GPUS, NODE_CPUS, NODE_MEMORY) for i in range(self.cell.count)}
        held = []
        for pod in running:
            node = pod["spec"]["nodeName"].removeprefix(f"{self.cell.name}-cell-")
            if node in free:
                held.append(amounts(pod))
                free[node] = tuple(has - had for has, had in zip(free[node], held[-1]))
        if answer.verdict == "fits":
            stray = len(gang.roles) > 1 and one_by_one.strands(free.values(), [(role.size, role.amounts()) for role in gang.roles])
            return ONE_BY_ONE if stray else ""
        return ADMITTED if self.cell.provider == "kueue" and self.is_admitted(gang, free, held) else ""

    def is_admitted(self, gang, free, held):
        """Kueue without a topology looks at quota, not at nodes: what is within the quota is admitted, and pods that find a node start."""
        has = self.cell.count * gangs.GPUS if self.quota is None else self.quota, self.cell.count * NODE_CPUS, self.cell.count * NODE_MEMORY
        asks = [sum(role.size * each for role, each in ((role, role.amounts()[i]) for role in gang.roles)) for i in range(3)]
        within = all(sum(pod[i] for pod in held) + asks[i] <= has[i] for i in range(3))
        return within and any(all(want <= have for want, have in zip(role.amounts(), node)) for role in gang.roles for node in free.values())

    def in_use(self, running, prefix):
        """An `in-use` block for each pod on a node of this name."""
        blocks = []
        for place, pod in enumerate(running):
            node = pod["spec"]["nodeName"].removeprefix(f"{self.cell.name}-cell-")
            if re.fullmatch(rf"{prefix}\d+", node):
                gpus, cpus, memory = amounts(pod)
                blocks.append(f'in-use u{place} {{ nodes = "{node}"  gpus = {gpus}  cpus = {cpus}  memory = {memory}MiB }}')
        return "\n    ".join(blocks)


def amounts(pod):
    """What a pod requests: GPUs, CPUs, MiB."""
    asked = [(container.get("resources") or {}).get("requests") or {} for container in pod["spec"]["containers"]]
    milli = sum(int(r["cpu"][:-1]) if r["cpu"].endswith("m") else 1000 * int(r["cpu"]) for r in asked if "cpu" in r)
    memory = sum(number(r["memory"]) for r in asked if "memory" in r) >> 20
    return pods.gpus(pod), -(-milli // 1000), memory


def owned(thing, name):
    """Whether an object was made for the workload of this name: by its owner, or its own name."""
    owners = thing["metadata"].get("ownerReferences") or []
    return any(gangs.belongs({"metadata": {"name": owner["name"]}}, name) for owner in owners) or gangs.belongs(thing, name)


def renamed(site, count):
    """The same site under other names of its nodes and pools, in the same order of nodes."""
    dice = random.Random(site)
    names = dice.sample([f"{word}-{place:02d}" for word in ("zeta", "alpha", "m", "node") for place in range(1, 20)], count)
    site = re.sub(r'nodes += "n\[1-\d+\]"', f'nodes = "{",".join(names)}"', site)
    site = re.sub(r'nodes = "n(\d+)"', lambda match: f'nodes = "{names[int(match[1]) - 1]}"', site)
    return re.sub(r"\b(pool|quota) h100\b", r"\1 zzz", site).replace("pool cpu ", "pool aaa ").replace('"cpu1"', '"other7"')


def run(lab, report, providers, words=(), count=20):
    """So many queues on each provider, and half as many where most reasons are met. `words`: another number, some from another seed as `40@1000`, or one queue as `seed=N`."""
    seeds = range(count)
    for word in words:
        many, _, first = word.partition("@")
        seeds = [int(word[5:])] if word.startswith("seed=") else range(int(first or 0), int(first or 0) + int(many))
    queues = [Queue(lab, provider, seed) for provider in providers for seed in (seeds[::2] if provider == FEWER else seeds)]
    seen = compare(lab, report, queues)
    reasons = [reason for _, of_gangs in seen.values() for reason in of_gangs]
    listed = PAGE.read_text()
    for reason in REASONS:
        covered, differ = reasons.count(reason), sum(excused == reason for found, _ in seen.values() for excused, _ in found)
        report.say(f"reason `{reason}`: {covered} of {len(reasons)} gangs ({100 * covered / max(len(reasons), 1):.1f} %), of which {differ} did not do what fit says")
        report.check(f"the reference lists the reason `{reason}`", f"**{reason}" in listed)
        if len(reasons) >= 100:
            report.check(f"`{reason}` covers at most {100 * MOST:.0f} % of the gangs", covered <= MOST * len(reasons), f"{covered} of {len(reasons)}")
    again = [Queue(lab, queue.drawn_for, queue.seed, without=True) for queue, (found, of_gangs) in seen.items() if any(of_gangs)]
    if again:
        compare(lab, report, again)


def compare(lab, report, queues):
    """Runs the queues, and checks that nothing differs but for a reason: {queue: what `run` says}."""
    seen = lab.again(lambda queue: queue.run(), queues, AT_ONCE, lambda _, answer: any(not reason for reason, _ in answer[0]))
    for queue, (found, _) in seen.items():
        for reason, sentence in found:
            report.say(f"{queue.label}, {queue.cell.kind}, quota {queue.quota}, {reason or 'no reason'}: {sentence}")
    without = sum(not reason for found, _ in seen.values() for reason, _ in found)
    gangs_seen = sum(len(of_gangs) for _, of_gangs in seen.values())
    where = ", ".join(sorted({queue.cell.provider for queue in queues}))
    report.check(f"{len(queues)} queues, {gangs_seen} gangs on {where}: the cluster does what fit says", not without, f"{without} differ without a reason")
    return seen

"""Manifests as people write them, each alone on a random fleet: what `muster fit` says of the file before it is created,
and what the cluster then does with it. Each one that starts is asked for once more with one GPU a pod, one pod, or one
CPU more than there is: muster must say that it does not fit, and the cluster must not start all of it."""
import collections
import dataclasses
import itertools
import json
import random
import time

import yaml

from . import drawn_manifests, nodes, pods, queues
from .api import Refused
from .fleet import Site

AT_ONCE = 14
LEVEL = "example.com/leaf"
PROVIDERS = {"kueue": False, "kueue-topology": True}  # whether Kueue assigns nodes
REASONS = ("places pods one by one", "admits by quota")  # docs/reference/fit.md: why a cluster may stay short of what fits
MOST_UNKNOWN, MOST_EXCUSED = 0.1, 0.03

SITE = """fleet f {{
  {pools}
}}
site cell {{
  fleet = f
  plane main {{
    kind      = kubernetes
    version   = "1.36"
    namespace = "{space}"
    gang      = kueue
    operator volcano {{ version = "1.15" }}
    {level}
  }}
  queue main {{ name = "{space}"  default = true }}
  {labels}
  {quota}
}}
"""
POOL = """pool {model} {{
    nodes = "{model}-n[1-{nodes}]"
    {gpu}
    node  {{ cpus = {cpus}  memory = {memory}MiB  reserve-cpus = 0  reserve-memory = 0B }}
    {taint}
  }}"""


@dataclasses.dataclass
class Pool:
    """Of one kind of nodes: what each has. `slices`: of all its GPUs together."""
    model: str
    nodes: int
    gpus: int
    cpus: int
    memory: int
    tainted: bool
    slices: int = 0
    label: dict = dataclasses.field(default_factory=dict)
    resource: str = drawn_manifests.GPU

    def text(self):
        gpu = ""
        if self.slices:
            gpu = f'gpu {{ model = {self.model}  memory = 80GB  count = {self.slices // 7}  slice "1g.10gb" {{ placements = "{{0,1,2,3,4,5,6}}:1" }} }}'
        elif self.gpus:
            gpu = f"gpu {{ model = {self.model}  memory = 80GB  count = {self.gpus} }}"
        taint = 'taint "nvidia.com/gpu" { value = "present" }' if self.tainted else ""
        return POOL.format(model=self.model, nodes=self.nodes, gpu=gpu, cpus=self.cpus, memory=self.memory, taint=taint)


def draw_pools(dice, space):
    """GPUs of one or two models, of which the second may be in slices, and mostly nodes without GPUs."""
    tainted = dice.random() < 0.6
    found = [Pool("h100", dice.randint(1, 4), 8, dice.choice((64, 96)), dice.choice((500_000, 1_000_000)), tainted)]
    chance = dice.random()
    if chance < 0.3:
        found.append(Pool("a100", dice.randint(1, 3), 4, 32, 250_000, tainted))
    elif chance < 0.5:
        found.append(Pool("a100", dice.randint(1, 2), 0, 32, 250_000, tainted, slices=dice.choice((7, 14)), resource="nvidia.com/mig-1g.10gb"))
    for pool in found:
        pool.label = {"nvidia.com/gpu.product": f"{space}-{pool.model}"}
    if dice.random() < 0.8:
        found.append(Pool("cpu", dice.randint(1, 2), 0, 32, 128_000, False))
    return found


class Bench:
    """A random fleet, its queue and its namespace. Manifests are created on it one after the other."""

    def __init__(self, lab, provider, seed, count):
        self.lab, self.provider, self.seed, self.count = lab, provider, seed, count
        self.label = f"fleet {seed} on {provider}"

    # ---- the cluster -------------------------------------------------------------------------

    def open(self):
        self.name = self.lab.space_name("r")
        self.dice = random.Random(self.label)
        self.space = self.lab.space(self.name)
        self.pools = draw_pools(self.dice, self.name)
        self.folder = self.lab.folder / "raw" / self.name
        self.folder.mkdir(parents=True)
        has = sum(pool.gpus * pool.nodes for pool in self.pools if pool.model == "h100")
        self.quota = draw_quota(self.dice, has) if sum(pool.gpus > 0 for pool in self.pools) == 1 else None
        self.site = self.folder / "site.muster"
        self.site.write_text(self.site_text())
        self.machines = list(Site(self.lab.muster, self.site, exact=True).nodes())
        tainted = {pool.model: pool.tainted for pool in self.pools}
        for machine in self.machines:
            if not tainted[machine["name"].split("-")[1]]:
                machine["taints"] = []
            machine["name"] = f"{self.name}-{machine['name']}"
            machine["labels"].update({"cell": self.name, "node.kubernetes.io/instance-type": machine["name"].rsplit("-", 1)[0]})
            if LEVEL in machine["labels"]:
                machine["labels"][LEVEL] = f"{self.name}-{machine['labels'][LEVEL]}"
        nodes.make(self.lab.api, self.machines)
        queues.namespace(self.lab.api, self.name, None, {"cell": self.name})
        topology = LEVEL if PROVIDERS[self.provider] else None
        queues.cluster_queue(self.lab.api, self.name, self.machines, topology, limits={} if self.quota is None else {drawn_manifests.GPU: self.quota}, strict=True)
        if self.quota is not None:  # of what is in no queue
            self.lab.api.ensure({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "gpus", "namespace": self.name},
                                 "spec": {"hard": {f"requests.{drawn_manifests.GPU}": str(self.quota)}}})
        queues.local_queue(self.lab.api, self.name, self.name, self.name)
        queues.volcano_queue(self.lab.api, self.name)

    def close(self):
        self.space.clear()
        queues.remove_cluster_queue(self.lab.api, self.name)
        for machine in self.machines:
            self.lab.api.delete(f"/api/v1/nodes/{machine['name']}")

    def site_text(self):
        labels = "\n  ".join(f'gpu {pool.model} {{ label = "{value}" }}' for pool in self.pools for value in pool.label.values())
        quota = "" if self.quota is None else f'tenant cell {{ namespace = "{self.name}"  quota h100 {{ gpus = {self.quota} }} }}'
        level = f'level leaf {{ label = "{LEVEL}" }}' if PROVIDERS[self.provider] else ""
        return SITE.format(pools="\n  ".join(pool.text() for pool in self.pools), space=self.name, level=level, labels=labels, quota=quota)

    # ---- what both say -----------------------------------------------------------------------

    def ask(self, name, text):
        """What fit says: the verdict, how many pods may run at once, the reason why the cluster may do otherwise, and why."""
        path = self.folder / f"{name}.yaml"
        path.write_text(text)
        done = self.lab.ask("fit", path, "--site", self.site, "--root", self.folder, "--format", "json", "--quiet")
        if done.returncode not in (0, 1):
            raise LookupError(done.stderr)
        said, = json.loads(done.stdout)["workloads"]
        why = "; ".join(level.get("note") or (level.get("certificate") or {}).get("text", "") for level in said["levels"].values())
        return said["verdict"], said["at_once"], said.get("otherwise", ""), why

    def start(self, text):
        """Creates the objects; what the server refuses does not start."""
        self.lab.create([document for document in yaml.safe_load_all(text) if document])

    def outcome(self, drawn, expected):
        """How many of its pods run, once the cluster has decided."""
        patience = self.space.patience
        end, before, last = time.monotonic() + 30 * patience, None, time.monotonic()
        quiet = patience * (4.0 if drawn.kind in drawn_manifests.SCHEDULED_BY_VOLCANO else 2.5)
        while time.monotonic() < end:
            shape = self.space.shape()
            running = sum(count for (_, state), count in shape.items() if state == "Running")
            if running >= drawn.size:
                return running
            if shape != before or not self.is_decided(drawn, shape):
                before, last = shape, time.monotonic()
            busy = expected and (not shape or any(state == "Gated" for _, state in shape))  # what fits is on its way
            if not busy and time.monotonic() - last > (2 * quiet if expected else quiet):
                break
            time.sleep(pods.PAUSE)
        return len(self.space.running())

    def is_decided(self, drawn, shape):
        """Whether whoever admits it has seen it."""
        if not drawn.queue:
            return bool(shape)
        if drawn.kind in drawn_manifests.SCHEDULED_BY_VOLCANO:
            return bool(self.space.held("podgroups"))
        held = self.space.held("workloads")
        return bool(held) and all(any(c["type"] == "QuotaReserved" for c in (thing.get("status") or {}).get("conditions") or []) for thing in held)

    def why(self):
        said = [f"{pod['metadata']['name']} {pods.state(pod)} {pods.why(pod)}" for pod in self.space.pods() if pods.state(pod) != "Running"]
        said += [f"{thing['metadata']['name']} {pods.why(thing)}" for thing in [*self.space.held("workloads"), *self.space.held("podgroups")]]
        return "; ".join(said)[:500]

    # ---- the comparison ----------------------------------------------------------------------

    def run(self):
        """[(what was compared, verdict, "" or how they differ, the reason that excuses it)]."""
        self.open()
        try:
            found = []
            for place in range(self.count):
                kind = drawn_manifests.KINDS[(self.seed * self.count + place) % len(drawn_manifests.KINDS)]
                drawn = drawn_manifests.draw(self.dice, self.pools, f"m{place}", self.name, kind)
                one = self.compare(drawn)
                found.append(one)
                if one.verdict == "fits" and not one.differs:
                    found += [self.mutant(what, mutant) for what, mutant in self.too_much(drawn)]
            return found
        finally:
            self.close()

    def compare(self, drawn):
        text = drawn.text().replace("NAMESPACE", self.name)
        try:
            verdict, at_once, otherwise, why = self.ask(drawn.name, text)
        except LookupError as error:
            return Compared(drawn, "none", f"fit gives no answer: {error}")
        try:
            self.start(text)
        except Refused as refused:
            if "exceeded quota" not in str(refused):
                self.space.clear()
                return Compared(drawn, verdict, f"the server refuses it: {refused}")
        running = self.outcome(drawn, verdict == "fits")
        starts = running > 0 if drawn.is_loose else running >= (drawn.few or drawn.size)
        one = Compared(drawn, verdict, whole=starts, why=why)
        if verdict in ("fits", "does-not-fit") and starts != (verdict == "fits"):
            one.excused = next((reason for reason in REASONS if reason in otherwise and verdict == "fits"), "")
            one.differs = f"{running} of {drawn.size} pods run, and fit says {verdict} ({why}): {self.why()}"
        elif verdict == "fits" and drawn.is_loose and at_once["possible"] not in (None, running):
            one.differs = f"{running} of {drawn.size} pods run, and fit says that {at_once['possible']} can"
        self.remove()
        return one

    def remove(self):
        self.space.clear()
        self.space.until(lambda: not self.space.held("workloads") and not self.space.held("podgroups"), 20)

    def too_much(self, drawn):
        """With one GPU a pod, one pod, or one CPU more than there is for it."""
        part = drawn.parts[-1]
        mine = [pool for pool in self.pools if not part.selector or part.selector == pool.label]
        place = len(drawn.parts) - 1
        if part.gpus and part.resource == drawn_manifests.GPU:
            yield "a GPU too many", drawn.changed(place, gpus=max(pool.gpus for pool in mine) + 1)
            most = sum(pool.nodes * (pool.gpus + pool.slices // 7) for pool in mine) // part.gpus
            if not drawn.may_start_in_part and drawn.kind != "pod" and not drawn.few:
                yield "a pod too many", drawn.changed(place, pods=most // drawn.groups + 1)
        yield "a CPU too many", drawn.changed(place, millis=1000 * max(pool.cpus for pool in mine) + 1000)

    def mutant(self, what, drawn):
        drawn.name += what.split()[1].lower()
        one = self.compare(drawn)
        one.mutant = what
        if one.verdict != "does-not-fit" and not one.differs:
            one.differs = f"fit says {one.verdict} ({one.why})"
        return one


@dataclasses.dataclass
class Compared:
    drawn: drawn_manifests.Drawn
    verdict: str
    differs: str = ""
    excused: str = ""
    mutant: str = ""
    why: str = ""
    whole: bool = False


def draw_quota(dice, has):
    return dice.choice((has - 4, has // 2)) if dice.random() < 0.25 and has > 8 else None


def run(lab, report, providers, words=()):
    """One manifest of each kind, two on each fleet, whose providers take turns. `words`: another number on each provider, four on
    each fleet, the first of which may be named as in `200@50`; or one fleet, `seed=N`."""
    each = 4 if words else 2
    count, first = len(drawn_manifests.KINDS), 0
    for word in words:
        many, _, start = word.partition("@")
        count, first = (each, int(word[5:])) if word.startswith("seed=") else (int(many), int(start or 0))
    seeds = range(first, first + -(-count // each))
    chosen = [(provider, seed) for provider in providers for seed in seeds] if words else list(zip(itertools.cycle(providers), seeds))
    benches = [Bench(lab, provider, seed, each) for provider, seed in chosen]
    seen = lab.again(lambda bench: bench.run(), benches, AT_ONCE, lambda _, found: any(one.differs and not one.excused for one in found))
    every = [(bench, one) for bench, found in seen.items() for one in found]
    for bench, one in every:
        if one.differs:
            report.say(f"{bench.label}, quota {bench.quota}, {one.mutant or 'as drawn'}, {one.excused or 'no reason'}: {one.drawn} {one.differs}")
    drawn = [one for _, one in every if not one.mutant]
    mutants = [one for _, one in every if one.mutant]
    verdicts = dict(collections.Counter(one.verdict for one in drawn))
    for kind in drawn_manifests.KINDS:
        mine = [one for one in drawn if one.drawn.kind == kind]
        report.say(f"{kind}: {len(mine)} manifests, {dict(collections.Counter(one.verdict for one in mine))}")
    for one in drawn:
        if one.verdict == "unknown":
            report.say(f"unknown, {'starts' if one.whole else 'does not start'}: {one.drawn} {one.why}")
    wrong = [one for one in drawn if one.differs and not one.excused]
    report.check(f"{len(drawn)} manifests {verdicts}: the cluster does what fit says", not wrong, f"{len(wrong)} differ without a reason")
    blocked = [one for one in mutants if one.verdict == "does-not-fit" and not one.differs]
    report.check(f"{len(mutants)} manifests with a GPU, a pod or a CPU too many do not fit and do not start", len(blocked) == len(mutants), f"{len(blocked)} of {len(mutants)}")
    ended = [name for name, process in lab.plane.processes.items() if process.poll() is not None]
    report.check("all programs of the cluster run", not ended, ended)
    if len(drawn) >= 50:
        excused = sum(bool(one.excused) for one in drawn)
        report.check(f"at most {100 * MOST_UNKNOWN:.0f} % are unknown", verdicts.get("unknown", 0) <= MOST_UNKNOWN * len(drawn), verdicts)
        report.check(f"at most {100 * MOST_EXCUSED:.0f} % stay short of what fits for a reason that fit states", excused <= MOST_EXCUSED * len(drawn), excused)

"""Random sites of two to four pools, with flavors, quotas, cohorts, taints, zones and leaves: for each job, one after the other,
what `muster fit` says of it on the nodes as they then are, beside what the cluster does, and on which nodes.

A workload that does not fit is written for each pool as if that had plenty of nodes: none of these files starts. A reason why
the cluster may do otherwise is computed from site and job before the cluster is asked."""
import collections
import dataclasses
import json
import pathlib
import random
import time

import yaml

from . import nodes, one_by_one, pods, queues, site_jobs
from .api import Refused, folder_of
from .flavor_choice import FlavorChoice, gpus_of, templates_of
from .queue_of_gangs import ADMITTED, ONE_BY_ONE, amounts
from .random_sites import AMOUNTS, LEVEL, NOTHING, RandomSite

AT_ONCE = 10
PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/reference/fit.md"
PROVIDERS = ("kueue-topology", "kueue-topology", "kueue", "kueue-topology")  # in turns
BY_QUOTA = "chooses the flavor by quota"
REASONS = (ADMITTED, BY_QUOTA, ONE_BY_ONE)
BY_REPLICA = ("deployment", "lws")  # each pod or group has a flavor of its own
MOST_UNKNOWN, MOST_EXCUSED = 0.05, 0.02
SOME = 100  # so many cases, for shares of them


@dataclasses.dataclass
class Compared:
    job: object
    verdict: str = "none"
    says: str = ""  # the reason that fit states
    differs: str = ""
    excused: str = ""
    starts: bool = False
    why: str = ""
    beside: list = ()  # what runs: (node, amounts)


@dataclasses.dataclass
class Answer:
    verdict: str
    why: str
    says: str
    placed: list  # (role, node)
    leaves: int  # no placement uses fewer


class Bench:
    """A random site, and jobs that are created on it one after the other."""

    def __init__(self, lab, provider, seed, most=8):
        self.lab, self.provider, self.seed, self.most = lab, provider, seed, most
        self.label = f"site {seed} on {provider}"
        self.family = "volcano" if provider == "volcano" else "kueue"

    # ---- the cluster -------------------------------------------------------------------------

    def open(self):
        self.dice = random.Random(self.label)
        self.name = self.lab.space_name("s")
        self.site = RandomSite(self.dice, self.provider, self.name)
        self.spaces = {tenant.name: self.lab.space(tenant.space) for tenant in self.site.tenants}
        self.folder = self.lab.folder / "sites-of-pools" / self.name
        self.folder.mkdir(parents=True)
        self.machines = [machine for pool in self.site.pools for machine in pool.machines(self.site.levels)]
        for machine in self.machines:
            machine["labels"]["cell"] = self.name
        nodes.make(self.lab.api, self.machines)
        for machine in self.machines:
            if machine["drained"]:
                self.lab.api.patch(f"/api/v1/nodes/{machine['name']}", {"spec": {"unschedulable": True}})
        for tenant in self.site.tenants:
            queues.namespace(self.lab.api, tenant.space, None, {"cell": self.name})
        self.occupy()
        self.objects = self.site.objects() if self.site.by_kueue else []
        if self.site.levels:
            self.lab.api.ensure({"apiVersion": queues.KUEUE, "kind": "Topology", "metadata": {"name": queues.TOPOLOGY},
                                 "spec": {"levels": [{"nodeLabel": LEVEL}, {"nodeLabel": "kubernetes.io/hostname"}]}})
        for thing in self.objects:
            self.lab.api.ensure(thing)
        for tenant in self.site.tenants if not self.site.by_kueue else []:
            limit = tenant.quotas.get("nvidia")
            queues.volcano_queue(self.lab.api, tenant.space, **({"capability": {"nvidia.com/gpu": str(limit["gpus"].nominal)}} if limit else {}))

    def occupy(self):
        """What others hold of nodes: pods in no queue."""
        self.outside = f"{self.name}-outside"
        held = [(pool.node(place), pool.resource, one) for pool in self.site.pools for place, one in pool.held.items()]
        if not held:
            return
        queues.namespace(self.lab.api, self.outside)
        # The controller that makes it may be slower than the pods.
        self.lab.api.ensure({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": self.outside}})
        for node, resource, (gpus, cpus, memory) in held:
            asks = {"cpu": str(cpus), "memory": f"{memory}Mi", resource: str(gpus)}
            self.lab.api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"on-{node}", "namespace": self.outside},
                                 "spec": {"nodeName": node, "tolerations": [{"operator": "Exists"}], "containers": [{"name": "main", "image": "any", "resources": {"limits": asks, "requests": asks}}]}})
        outside = self.lab.space(self.outside)
        outside.until(lambda: len(outside.running()) == len(held), 20)

    def close(self):
        for space in self.spaces.values():
            space.clear()
            space.until(lambda space=space: not space.held("workloads"), 20)
        self.lab.space(self.outside).delete_pods()
        for thing in reversed(self.objects):
            self.lab.api.delete(f"{folder_of(thing)}/{thing['metadata']['name']}")
        for machine in self.machines:
            self.lab.api.delete(f"/api/v1/nodes/{machine['name']}")

    # ---- what there is ------------------------------------------------------------------------

    def running(self):
        return [(tenant, pod) for tenant in self.site.tenants for pod in self.spaces[tenant.name].running()]

    def in_use(self):
        return [(pod["spec"]["nodeName"], amounts(pod)) for _, pod in self.running()]

    def used(self):
        """Of each tenant and quota, what its pods hold."""
        found = {}
        for tenant, pod in self.running():
            key = tenant.name, self.site.quota_of(self.site.pool_of(pod["spec"]["nodeName"]))
            before = found.get(key, NOTHING)
            found[key] = {what: before[what] + more for what, more in zip(AMOUNTS, amounts(pod))}
        return found

    def free(self):
        """[(pool, GPUs, CPUs, MiB)] of the nodes that pods can have."""
        found = {}
        for pool in self.site.pools:
            for place in [place for place in range(pool.nodes) if place not in pool.drained]:
                found[pool.node(place)] = pool, *(has - held for has, held in zip(pool.room, pool.held.get(place, (0, 0, 0))))
        for node, taken in self.in_use():
            pool, *has = found[node]
            found[node] = pool, *(a - b for a, b in zip(has, taken))
        return list(found.values())

    # ---- what muster says ---------------------------------------------------------------------

    def ask(self, job):
        path = self.folder / (f"{job.name}.muster" if job.form == "spec" else f"{job.name}.yaml")
        path.write_text(job.text())
        self.now = self.folder / f"{job.name}.site.muster"
        self.now.write_text(self.site.text(self.in_use(), self.used()))
        done = self.lab.ask("fit", path, "--site", self.now, "--root", self.folder, "--format", "json", "--quiet")
        if done.returncode not in (0, 1):
            raise LookupError(f"fit gives no answer: {done.stderr}")
        said, = json.loads(done.stdout)["workloads"]
        why = "; ".join(f"{level}: {text}" for level, one in said["levels"].items() if (text := one.get("note") or (one.get("certificate") or {}).get("text", "")))
        says = next((reason for reason in REASONS if reason in said.get("otherwise", "")), "")
        return Answer(said["verdict"], why, says, [(one["role"], one["node"]) for one in said.get("placements", [])], said.get("leaf_lower_bound") or 0)

    def files(self, job, fits):
        """The texts that muster writes: of what does not fit, each that it would write if a pool had plenty of nodes."""
        path = self.folder / f"{job.name}.muster"
        if fits:
            return [self.written(path, self.now, job.target)]
        found = []
        allowed = {pool.name for _, _, pools in job.parts(self.site) for pool in pools}
        for pool in [pool for pool in self.site.pools if pool.name in allowed]:
            large = self.folder / f"{job.name}.{pool.name}.muster"
            large.write_text(self.site.text(self.in_use(), large=pool))
            try:
                found.append(self.written(path, large, job.target))
            except LookupError:
                pass  # the pool is none of those that it may have
        return list(dict.fromkeys(found))

    def written(self, path, site, target):
        texts, said = self.lab.write(path, site, target)
        if texts is None:
            raise LookupError(f"muster does not write it: {said}")
        return "\n---\n".join(texts)

    # ---- why the cluster may do otherwise ------------------------------------------------------

    def parts(self, job, text):
        """Those of the job, on the pools that this file of it lets them have."""
        selectors = collections.defaultdict(list)
        for one in templates_of(text):
            selectors[sum(amount for _, amount in gpus_of(one))].append(one.get("nodeSelector") or {})
        found = []
        for count, each, allowed in job.parts(self.site):
            written = selectors[each[0]] if job.form == "spec" else []
            mine = [pool for pool in allowed if not written or any(one.items() <= pool.labels.items() for one in written)]
            found.append((count, each, mine))
        return found

    def reason(self, job, verdict, text):
        """From the nodes, the quotas and the files of the job alone."""
        free, parts = self.free(), self.parts(job, text)
        choice = FlavorChoice(self.site, self.used(), job, parts, text) if self.site.by_kueue else None
        if self.provider == "kueue" and verdict == "does-not-fit" and choice.is_admitted(free):
            return ADMITTED
        if verdict != "fits":
            return ""
        way = choice.chosen() if choice and not (self.site.levels and job.kind in BY_REPLICA) else None
        shared = choice.on_flavors(way) if way else [parts]
        stranded = any(len(mine) > 1 and strands(mine, free) for mine in shared)
        if way and any(self.has_no_room(job, mine, free) for mine in shared):
            return BY_QUOTA if self.site.levels else ADMITTED
        return ONE_BY_ONE if stranded else ""

    def has_no_room(self, job, mine, free):
        """Whether nodes have no room for all of these parts together, or for one of them."""
        asked = [sum(count * each[place] for count, each, _ in mine) for place in range(len(AMOUNTS))]
        has = [sum(one[place] for pool, *one in free if any(pool in pools for _, _, pools in mine)) for place in range(len(AMOUNTS))]
        return any(want > have for want, have in zip(asked, has)) or any(self.room(job, part, free) < part[0] for part in mine)

    def room(self, job, part, free):
        """For how many of its pods there is room; of one leaf, if they must be near."""
        _, each, pools = part
        found = collections.Counter()
        for (pool, *has), leaf in zip(free, self.leaves()):
            found[leaf if job.near else ""] += holds(has, each) if pool in pools else 0
        return max(found.values(), default=0)

    def leaves(self):
        """Of the nodes of `free`, in their order."""
        return [pool.leaf_of(place) for pool in self.site.pools for place in range(pool.nodes) if place not in pool.drained]

    # ---- what the cluster does ------------------------------------------------------------------

    def new(self, job, kind, before):
        return [thing for thing in self.spaces[job.tenant.name].held(kind) if thing["metadata"]["uid"] not in before]

    def pods_of(self, job, before):
        return [pod for pod in self.spaces[job.tenant.name].pods() if pod["metadata"]["uid"] not in before and job.counts(pod, pods.gpus(pod))]

    def has_launcher(self, job, before):
        """Whether what starts the program of an MPIJob runs too."""
        if job.form != "spec" or job.kind != "mpijob":
            return True
        every = [pod for pod in self.spaces[job.tenant.name].pods() if pod["metadata"]["uid"] not in before]
        return any("-launcher" in pod["metadata"]["name"] and pods.state(pod) == "Running" for pod in every)

    def outcome(self, job, before, expected):
        """Its pods that run, once the cluster has decided."""
        patience = self.lab.patience
        end, shape_before, last = time.monotonic() + 40 * patience, None, time.monotonic()
        quiet = patience * (2.5 if self.site.by_kueue else 4.0)
        while time.monotonic() < end:
            mine = self.pods_of(job, before)
            shape = collections.Counter((pod["metadata"]["name"], pods.state(pod)) for pod in mine)
            running = [pod for pod in mine if pods.state(pod) == "Running"]
            if len(running) >= job.size and self.has_launcher(job, before):
                return running
            if shape != shape_before or not self.is_decided(job, before):
                shape_before, last = shape, time.monotonic()
            busy = expected and (not shape or any(state == "Gated" for _, state in shape))  # what fits is on its way
            if not busy and time.monotonic() - last > (2 * quiet if expected else quiet):
                break
            time.sleep(pods.PAUSE)
        return [pod for pod in self.pods_of(job, before) if pods.state(pod) == "Running"]

    def is_decided(self, job, before):
        if not self.site.by_kueue:
            return bool(self.new(job, "podgroups", before))
        held = self.new(job, "workloads", before)
        return bool(held) and all(any(c["type"] == "QuotaReserved" for c in (thing.get("status") or {}).get("conditions") or []) for thing in held)

    def why(self, job, before):
        every = [pod for pod in self.spaces[job.tenant.name].pods() if pod["metadata"]["uid"] not in before]
        said = [f"{pod['metadata']['name']} {pods.state(pod)} {pods.why(pod)[:150]}" for pod in every if pods.state(pod) != "Running"][:2]
        said += [f"{thing['metadata']['name']} {pods.why(thing)}" for kind in ("workloads", "podgroups") for thing in self.new(job, kind, before)][:3]
        return "; ".join(said)[:700]

    def misplaced(self, job, running, answer):
        """What is wrong with the nodes that its pods got, or that fit shows."""
        if job.form != "spec":
            return ""
        allowed = {role.name: pools for role, (_, _, pools) in zip(job.roles, job.parts(self.site))}
        got = [(pods.role(pod) if len(job.roles) > 1 else job.roles[0].name, pod["spec"]["nodeName"]) for pod in running]
        for who, placed in (("the cluster", got), ("fit", answer.placed)):
            for role, node in placed:
                if role in allowed and self.site.pool_of(node) not in allowed[role]:
                    return f"{who} has role {role} on {node}, which the spec does not allow"
            for role in allowed:
                if len({self.site.pool_of(node).model for name, node in placed if name == role}) > 1 and next(r for r in job.roles if r.name == role).gpus:
                    return f"{who} has role {role} on GPUs of several models"
        leaves = {self.leaf_of(node) for _, node in got}
        if job.near and len(leaves) > 1:
            return f"the cluster uses {len(leaves)} leaves, and the spec says one"
        if self.site.levels and len(job.roles) == 1 and len(leaves) < answer.leaves:
            return f"the cluster uses {len(leaves)} leaves, and fit says that {answer.leaves} are the fewest"
        return ""

    def leaf_of(self, node):
        pool = self.site.pool_of(node)
        return pool.leaf_of(int(node.rsplit("-n", 1)[1]) - 1)

    # ---- the comparison -------------------------------------------------------------------------

    def run(self):
        found = []
        self.open()
        try:
            for place in range(min(self.dice.randint(4, 8), self.most)):
                draw = site_jobs.draw_spec if self.dice.random() < 0.6 else site_jobs.draw_raw
                found.append(self.compare(draw(self.dice, self.site, f"w{place}", self.family)))
        finally:
            self.close()
        return found

    def compare(self, job):
        one = Compared(job, beside=self.in_use())
        try:
            answer = self.ask(job)
            one.verdict, one.says, one.why = answer.verdict, answer.says, answer.why
            texts = [job.text()] if job.form != "spec" else self.files(job, answer.verdict == "fits")
            reasons = [self.reason(job, answer.verdict, text) for text in texts]
        except LookupError as refused:
            one.differs = str(refused)
            return one
        for text, reason in zip(texts, reasons):
            if self.try_file(job, text, answer, reason, one):
                break  # it runs on, and the others have its name
        return one

    def try_file(self, job, text, answer, reason, one):
        """Creates it, and compares; true: it stays."""
        before = {thing["metadata"]["uid"] for kind in (self.spaces[job.tenant.name].pods(), *map(self.spaces[job.tenant.name].held, pods.WATCHED)) for thing in kind}
        documents = [document for document in yaml.safe_load_all(text) if document]
        try:
            self.lab.create(documents, job.tenant.space)
        except Refused as refused:
            one.differs, answer.verdict = f"the server refuses it: {refused}", "refused"
        running = self.outcome(job, before, answer.verdict == "fits") if answer.verdict != "refused" else []
        starts = len(running) >= (job.few or job.size) and self.has_launcher(job, before)
        one.starts |= starts
        stray = self.misplaced(job, running, answer) if answer.verdict == "fits" and starts else ""
        in_part = not starts and running and answer.verdict != "fits" and job.form == "spec"
        if answer.verdict not in ("unknown", "refused") and (starts != (answer.verdict == "fits") or in_part or stray):
            wrong = stray or one.differs or (starts and answer.verdict != "fits")
            one.excused = reason if reason == answer.says and not wrong else ""
            silent = f"; fit does not state `{reason}`" if reason != answer.says else ""
            one.differs += stray or f"{len(running)} of {job.size} pods run, and fit says {answer.verdict} ({answer.why}): {self.why(job, before)}{silent}"
        stays = starts and not one.differs and self.stays(job)
        if not stays:
            self.remove(job, documents, before)
        return stays

    def stays(self, job):
        """Some run on beside later ones, if what they hold can be said: whole CPUs, and no more of a quota than the tenant's own."""
        within = all(held[what] <= limit.nominal for tenant in self.site.tenants for name, limits in tenant.quotas.items()
                     for what, limit in limits.items() for held in [self.used().get((tenant.name, name), NOTHING)])
        whole = job.kind not in site_jobs.ONLY_GPUS if job.form == "spec" else job.is_whole()
        return self.dice.random() < 0.6 and within and whole

    def remove(self, job, documents, before):
        space = self.spaces[job.tenant.name]
        for document in reversed(documents):
            document["metadata"].setdefault("namespace", job.tenant.space)
            self.lab.api.delete(f"{folder_of(document)}/{document['metadata']['name']}")
        left = lambda: [pod for pod in space.pods() if pod["metadata"]["uid"] not in before]  # noqa: E731
        if not space.until(lambda: not left(), 10):
            for pod in left():
                self.lab.api.delete(f"/api/v1/namespaces/{space.name}/pods/{pod['metadata']['name']}", gracePeriodSeconds=0)
        space.until(lambda: not left() and not any(self.new(job, kind, before) for kind in pods.WATCHED), 20)


def holds(has, each):
    """How many pods a node has room for."""
    return max(0, min(have // want for have, want in zip(has, each) if want > 0))


def strands(parts, free):
    """Whether an order of placing the pods leaves one without a node. Of each role a node has a token more where it is allowed."""
    many = sum(count for count, _, _ in parts) + 1
    rows = [(*has, *(many if pool in allowed else 0 for _, _, allowed in parts)) for pool, *has in free]
    roles = [(count, (*each, *(int(place == own) for place in range(len(parts))))) for own, (count, each, _) in enumerate(parts)]
    return one_by_one.strands(rows, roles)


# ---- the phase -------------------------------------------------------------------------------------

def run(lab, report, volcano, words=(), count=4):
    """So many sites, with four jobs each. `words`, with up to eight: another number, some from another seed as `300@1000`, or single ones, `seed=N`."""
    seeds = range(count)
    for word in words:
        many, _, first = word.partition("@")
        seeds = range(int(first or 0), int(first or 0) + int(many)) if word[0].isdigit() else seeds
    seeds = [int(word[5:]) for word in words if word.startswith("seed=")] or seeds
    benches = [Bench(lab, "volcano" if volcano else PROVIDERS[seed % len(PROVIDERS)], seed, 8 if words else 4) for seed in seeds]
    seen = lab.again(lambda bench: bench.run(), benches, AT_ONCE, lambda _, found: any(one.differs and not one.excused for one in found))
    every = [(bench, one) for bench, found in seen.items() for one in found]
    for bench, one in every:
        if one.differs or one.verdict == "unknown":
            report.say(f"{bench.label}, {one.job.form}, {one.verdict}, {'starts' if one.starts else 'does not start'}, {one.excused or 'no reason'}: {one.job} beside {one.beside}: {one.differs or one.why}")
    forms = collections.Counter(f"{one.job.form}s {one.verdict}" for _, one in every)
    wrong = [one for _, one in every if one.differs and not one.excused]
    where = ", ".join(sorted({bench.provider for bench in benches}))
    report.check(f"{len(benches)} sites of several pools, {len(every)} jobs on {where} {dict(sorted(forms.items()))}: the cluster does what fit says", not wrong, f"{len(wrong)} differ without a reason")
    report.check("some start, and some do not", {one.starts for _, one in every} == {True, False})
    shares(report, [one for _, one in every])


def shares(report, every):
    listed = PAGE.read_text()
    for reason in REASONS:
        covered, differ = sum(one.says == reason for one in every), sum(one.excused == reason for one in every)
        report.say(f"reason `{reason}`: {covered} of {len(every)} jobs ({100 * covered / max(len(every), 1):.1f} %), of which {differ} did not do what fit says")
        report.check(f"the reference lists the reason `{reason}`", f"**{reason}" in listed)
    if len(every) >= SOME:
        unknown, excused = sum(one.verdict == "unknown" for one in every), sum(bool(one.excused) for one in every)
        report.check(f"at most {100 * MOST_UNKNOWN:.0f} % are unknown", unknown <= MOST_UNKNOWN * len(every), f"{unknown} of {len(every)}")
        report.check(f"a reason excuses at most {100 * MOST_EXCUSED:.0f} %", excused <= MOST_EXCUSED * len(every), f"{excused} of {len(every)}")

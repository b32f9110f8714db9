"""Random cohorts of Kueue that lend each other quota of several flavors: for each job, one after the other, what `muster fit`
says at the site that `muster site import` makes of the cluster's own objects, beside Kueue's condition QuotaReserved.

Kueue without a topology looks at no node, so the nodes are in the imported text only: more than any quota. A job that was
admitted is asked about beside later ones on the flavor that it was given."""
import collections
import dataclasses
import json
import random
import time

from . import queues

AT_ONCE = 6
GPU, ZONE = "nvidia.com/gpu", "topology.kubernetes.io/zone"
NODES, NODE_GPUS = 40, 8
MOST_UNKNOWN = 0.05


@dataclasses.dataclass
class Job:
    name: str
    space: str
    queue: str
    pods: int
    gpus: int

    def manifest(self, zone=None):
        spec = {"restartPolicy": "Never", "containers": [{"name": "t", "image": "r/x:1.0.1", "resources": {"limits": {GPU: self.gpus}}}]}
        if zone:
            spec["nodeSelector"] = {ZONE: zone}
        return {"apiVersion": "batch/v1", "kind": "Job",
                "metadata": {"name": self.name, "namespace": self.space, "labels": {"kueue.x-k8s.io/queue-name": self.queue}},
                "spec": {"suspend": True, "parallelism": self.pods, "completions": self.pods, "completionMode": "Indexed", "ttlSecondsAfterFinished": 100, "template": {"spec": spec}}}


class Bench:
    """A random tree of cohorts and queues."""

    def __init__(self, lab, seed):
        self.lab, self.seed, self.label = lab, seed, f"cohorts {seed}"

    def zone(self, flavor):
        return flavor.replace("flavor", "zone")

    # ---- the cluster -------------------------------------------------------------------------

    def open(self):
        self.dice = random.Random(self.label)
        self.name = self.lab.space_name("lend")
        self.folder = self.lab.folder / "lending" / self.name
        self.folder.mkdir(parents=True)
        self.flavors = [f"{self.name}-flavor{i}" for i in range(self.dice.randint(1, 3))]
        self.spaces = [f"{self.name}-team{i}" for i in range(self.dice.randint(1, 3))]
        self.objects = [{"apiVersion": queues.KUEUE, "kind": "ResourceFlavor", "metadata": {"name": flavor}, "spec": {"nodeLabels": {ZONE: self.zone(flavor)}}} for flavor in self.flavors]
        cohorts = [f"{self.name}-cohort{i}" for i in range(self.dice.randint(1, 4))]
        for place, name in enumerate(cohorts):
            spec = {"parentName": self.dice.choice(cohorts[:place])} if place else {}
            if self.dice.random() < 0.5:
                spec["resourceGroups"] = self.groups(bool(place))
            self.objects.append({"apiVersion": queues.KUEUE, "kind": "Cohort", "metadata": {"name": name}, "spec": spec})
        self.locals = []
        for place in range(self.dice.randint(2, 4)):
            name, cohort = f"{self.name}-q{place}", self.dice.choice([*cohorts, *cohorts, None])
            spec = {"namespaceSelector": {}, "queueingStrategy": "BestEffortFIFO", "resourceGroups": self.groups(cohort is not None, full=True)}
            self.objects.append({"apiVersion": queues.KUEUE, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": {**spec, **({"cohortName": cohort} if cohort else {})}})
            for space in self.dice.sample(self.spaces, self.dice.randint(1, len(self.spaces))):
                self.locals.append((space, f"lq{place}"))
                self.objects.append({"apiVersion": queues.KUEUE, "kind": "LocalQueue", "metadata": {"name": f"lq{place}", "namespace": space}, "spec": {"clusterQueue": name}})
        for space in self.spaces:
            queues.namespace(self.lab.api, space)
        self.lab.create(self.objects)
        self.site = self.folder / "cluster.json"
        self.site.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [*self.objects, *self.nodes()]}))
        done = self.lab.ask("site", "import", self.site, "-o", self.folder, "--quiet")
        if done.returncode:
            raise LookupError(done.stderr)
        self.site = self.folder / "site.muster"

    def groups(self, borrows, full=False):
        flavors = self.flavors if full and self.dice.random() < 0.6 else [f for f in self.flavors if self.dice.random() < 0.7] or self.flavors[:1]
        listed = []
        for flavor in flavors:
            nominal = self.dice.choice((0, 2, 4, 8, 12))
            quota = {"name": GPU, "nominalQuota": str(nominal)}
            if borrows and self.dice.random() < 0.5:
                quota["borrowingLimit"] = str(self.dice.choice((0, 2, 4, 8)))
            if borrows and self.dice.random() < 0.5:
                quota["lendingLimit"] = str(min(nominal, self.dice.choice((0, 2, 4, 8))))
            listed.append({"name": flavor, "resources": [quota]})
        return [{"coveredResources": [GPU], "flavors": listed}]

    def nodes(self):
        for flavor in self.flavors:
            for place in range(NODES):
                has = {"cpu": "200", "memory": "2000Gi", GPU: str(NODE_GPUS)}
                yield {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"{flavor}-n{place}", "labels": {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", ZONE: self.zone(flavor)}},
                       "status": {"capacity": has, "allocatable": has, "conditions": [{"type": "Ready", "status": "True"}]}}

    def close(self):
        for space in self.spaces:
            self.lab.api.delete(f"/apis/batch/v1/namespaces/{space}/jobs")
            self.lab.space(space).until(lambda space=space: not self.lab.space(space).held("workloads"), 20)
        for thing in reversed(self.objects):
            where = f"namespaces/{thing['metadata']['namespace']}/" if "namespace" in thing["metadata"] else ""
            kind = {"ResourceFlavor": "resourceflavors", "Cohort": "cohorts", "ClusterQueue": "clusterqueues", "LocalQueue": "localqueues"}[thing["kind"]]
            self.lab.api.delete(f"/apis/{queues.KUEUE}/{where}{kind}/{thing['metadata']['name']}")

    # ---- what both say -----------------------------------------------------------------------

    def ask(self, place, job, held):
        """The verdict of fit of the job beside those that are admitted, and what it says."""
        paths = []
        for number, (other, zone) in enumerate([*held, (job, None)]):
            paths.append(self.folder / f"ask{place}-{number}.yaml")
            paths[-1].write_text(json.dumps(other.manifest(zone)))
        done = self.lab.ask("fit", *paths, "--site", self.site, "--root", self.folder, "--format", "json", "--quiet")
        if done.returncode not in (0, 1):
            raise LookupError(done.stderr)
        said = json.loads(done.stdout)["workloads"][-1]
        why = "; ".join(level.get("note") or (level.get("certificate") or {}).get("text", "") for level in said["levels"].values())
        return said["verdict"], why

    def admission(self, job):
        """Whether Kueue reserves quota for it, and the zone of the flavor that it gives."""
        end = time.monotonic() + 40 * self.lab.patience
        refused = None
        while time.monotonic() < end:
            for thing in self.lab.space(job.space).held("workloads"):
                if not any(owner["name"] == job.name for owner in thing["metadata"].get("ownerReferences") or []):
                    continue
                status = thing.get("status") or {}
                said = next((c for c in status.get("conditions") or [] if c["type"] == "QuotaReserved"), None)
                if said and said["status"] == "True":
                    flavor, = {flavor for pods in status["admission"]["podSetAssignments"] for flavor in pods["flavors"].values()}
                    return True, self.zone(flavor)
                if said and refused is None:
                    refused = time.monotonic()
            if refused and time.monotonic() - refused > 1.5:
                return False, None
            time.sleep(0.1)
        return False, None

    def run(self):
        """[(verdict, whether Kueue admits it, what differs)]."""
        found, held = [], []
        try:
            self.open()
            for place in range(6):
                space, queue = self.dice.choice(self.locals)
                job = Job(f"j{place}", space, queue, self.dice.choice((1, 1, 2, 3, 4, 6)), self.dice.choice((1, 2, 2, 4)))
                verdict, why = self.ask(place, job, held)
                self.lab.create([job.manifest()])
                admitted, zone = self.admission(job)
                differs = ""
                if verdict != "unknown" and admitted != (verdict == "fits"):
                    differs = f"{job} beside {held}: Kueue {'admits' if admitted else 'does not admit'} it, and fit says {verdict}: {why}"
                found.append((verdict, admitted, differs))
                if admitted:
                    held.append((job, zone))
                else:
                    self.lab.api.delete(f"/apis/batch/v1/namespaces/{space}/jobs/{job.name}")
                    self.lab.space(space).until(lambda: not any(job.name in thing["metadata"]["name"] for thing in self.lab.space(space).held("workloads")), 20)
        except LookupError as refused:
            found.append(("none", False, f"muster gives no answer: {refused}"))
        finally:
            self.close()
        return found


def run(lab, report, words=(), count=20):
    """So many trees of cohorts. `words`: another number, some from another seed as `300@1000`, or one, `seed=N`."""
    seeds = range(count)
    for word in words:
        many, _, first = word.partition("@")
        seeds = [int(word[5:])] if word.startswith("seed=") else range(int(first or 0), int(first or 0) + int(many))
    benches = [Bench(lab, seed) for seed in seeds]
    seen = lab.again(lambda bench: bench.run(), benches, AT_ONCE, lambda _, found: any(differs for _, _, differs in found))
    every = [(bench, one) for bench, found in seen.items() for one in found]
    for bench, (_, _, differs) in every:
        if differs:
            report.say(f"{bench.label}: {differs}")
    verdicts = collections.Counter(verdict for _, (verdict, _, _) in every)
    wrong = sum(bool(differs) for _, (_, _, differs) in every)
    report.check(f"{len(benches)} trees of cohorts, {len(every)} jobs {dict(verdicts)}: Kueue reserves quota where fit says", not wrong, f"{wrong} differ")
    report.check("some are admitted, and some are not", {admitted for _, (_, admitted, _) in every} == {True, False})
    if len(every) >= 100:
        report.check(f"at most {100 * MOST_UNKNOWN:.0f} % are unknown", verdicts["unknown"] <= MOST_UNKNOWN * len(every), dict(verdicts))

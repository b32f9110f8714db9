"""Every example at every site of pods and for every target that takes it: created, run, compared with what muster says, ended."""
import collections
import json
import pathlib

from . import container, pods, queues
from .api import Refused
from .fleet import Site
from .lab import Kept

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
LEAST = 112      # nodes of a pool: room for the largest of those that run at once
AT_ONCE = 8      # namespaces in parallel
PATIENCE = 120.0 # seconds until all runs, where all of the machine is busy
ENDS = {"Job": ("jobs", "Complete"), "JobSet": ("jobsets", "Completed"), "PyTorchJob": ("pytorchjobs", "Succeeded"), "TrainJob": ("trainjobs", "Complete"),
        "MPIJob": ("mpijobs", "Succeeded")}


class Case:
    def __init__(self, spec, site, target):
        self.spec, self.site, self.target, self.space = spec, site, target, ""
        self.label = f"{spec.stem}@{site.name}.{target}"


def cases(lab, muster, gangs):
    """[(site, its cases)] for the sites whose gangs are by one of these providers; "" is a plane without one."""
    targets = yaml_targets(lab)
    for path in sorted((CHECKOUT / "examples/sites").glob("*.muster")):
        if "kind" not in path.read_text() or not any(f"= {kind}" in path.read_text() for kind in ("kubernetes", "k3s")):
            continue
        site = Site(muster, path)
        if site.gang in gangs:
            yield site, [Case(spec, site, target) for spec in sorted((CHECKOUT / "examples/workloads").glob("*.muster")) for target in targets]


def yaml_targets(lab):
    return [target["name"] for target in json.loads(lab.ask("targets", "--format", "json").stdout) if target.get("extension") == "yaml"]


def stage(lab, case, site_file, name):
    """A stage of muster's answer for one workload."""
    done = lab.ask("compile", case.spec, "--site", site_file, "--root", case.spec.parent, "--target", case.target, "--emit", name)
    if not done.stdout:
        raise ValueError(done.stderr)
    return json.loads(done.stdout)[0]


def expected(lab, case, site_file):
    """{(role, GPUs): pods} that run at once, by the placement that muster shows. It is of one copy of what starts by itself."""
    model, want = stage(lab, case, site_file, "model"), collections.Counter()
    sweep = model.get("sweep") or {}
    points = min(sweep.get("points", 1), sweep.get("max_parallel") or sweep.get("points", 1))
    placements = stage(lab, case, site_file, "placement")["placements"]
    for role in model["roles"]:
        mine = [place for place in placements if place["role"] == role["name"]]
        replicas = role.get("replicas", 1)
        copies = (replicas["low"] if isinstance(replicas, dict) else replicas) // len({place["replica"] for place in mine} or {0})
        for place in mine:
            want[role["name"], len(place["gpus"])] += max(copies, 1) * points
    return want


def run(lab, report, muster, gangs, names=()):
    """`names`: only cases whose labels hold one of these words."""
    for site, found in cases(lab, muster, gangs):
        at_site(lab, report, site, [case for case in found if not names or any(name in case.label for name in names)])


def at_site(lab, report, site, found):
    """The cases of a site, on nodes of its own."""
    chosen, alike = written_once(lab, found)
    if not chosen:
        return
    machines = lab.furnish(site, LEAST, topology=label_of_level(site), name=f"all-{site.name}")
    seen = lab.again(lambda case: one(lab, case), chosen, AT_ONCE, lambda _, kept: kept.failed)
    for kept in seen.values():
        kept.hand_over(report)
    report.say(f"{site.name}: {len(chosen)} files on {len(machines)} nodes, and {alike} more that are the same under another target's name")
    remove(lab, f"all-{site.name}", machines)


def written_once(lab, cases):
    """The cases that muster writes, and how many of them are left out because another target of the example has the same objects."""
    first, alike = {}, 0
    for case in cases:
        documents, _ = lab.compile(case.spec, case.site.path, case.target)
        if documents is None:
            continue
        key = (case.spec, json.dumps(documents, sort_keys=True))
        alike += key in first
        first.setdefault(key, case)
    return list(first.values()), alike


def label_of_level(site):
    """The label of the level that the site declares: its queues then have flavors with a topology."""
    return next((level["label"] for level in site.plane.get("level", {}).values() if "label" in level), None)


def remove(lab, name, machines):
    """What `furnish` made."""
    if "kueue" in lab.plane.operators:
        queues.remove_cluster_queue(lab.api, name)
    for machine in machines:
        lab.api.delete(f"/api/v1/nodes/{machine['name']}")


def one(lab, case):
    """What was seen of a case."""
    report, case.space = Kept(), lab.space_name("c")
    site_file = lab.site_in(case.site.path, case.space)
    documents, said = lab.compile(case.spec, site_file, case.target)
    if documents is None:
        report.check(f"{case.label} is written for another namespace", False, said)
        return report
    try:
        judge(lab, report, case, site_file, documents)
    except (Refused, OSError, KeyError, ValueError) as error:
        report.check(f"{case.label} is judged to its end", False, f"{type(error).__name__}: {error}")
    return report


def judge(lab, report, case, site_file, documents):
    space = lab.space(case.space)
    queues.provide(lab.api, case.space, documents, f"all-{case.site.name}")
    unknown = sorted({document["kind"] for document in documents if not lab.serves(document)})
    report.check(f"{case.label} has kinds that are defined", not unknown, unknown)
    try:
        lab.create(documents, case.space)
    except Refused as refused:
        report.check(f"{case.label} is taken", False, refused)
        return
    want = expected(lab, case, site_file)
    space.until(lambda: is_running(space, want), PATIENCE)
    compare(report, case, space, want)
    faults = container.ranks(space, container.Runner(space, lab.base, lab.folder))
    report.check(f"{case.label} has ranks and heads", not faults, "; ".join(faults))
    ends(lab, report, case, space, documents)
    report.check(f"{case.label} leaves nothing behind", space.clear(), [f"{pod['metadata']['name']} {pods.state(pod)}" for pod in space.pods()])


def with_gpus(everyone):
    """{(role, GPUs): pods}"""
    return collections.Counter((pods.role(pod), pods.gpus(pod)) for pod in everyone if pods.gpus(pod))


def is_running(space, want):
    everyone = space.pods()
    return with_gpus(everyone) == with_gpus_of(want) and all(pods.state(pod) == "Running" for pod in everyone) and len(everyone) >= sum(want.values())


def with_gpus_of(want):
    return collections.Counter({key: count for key, count in want.items() if key[1]})


def compare(report, case, space, want):
    everyone = space.pods()
    stuck = [f"{pod['metadata']['name']} {pods.state(pod)} {pods.why(pod)}" for pod in everyone if pods.state(pod) not in ("Running", "Succeeded")]
    held = "; ".join(pods.why(workload) for workload in space.held("workloads"))
    report.check(f"{case.label} runs", everyone and not stuck, f"{stuck or 'no pods'} {held}")
    seen = with_gpus(everyone)
    report.check(f"{case.label} has the pods of the placement", seen == with_gpus_of(want), f"{dict(seen)}, and fit says {dict(want)}")


def ends(lab, report, case, space, documents):
    """Its programs end with 0: the object says so, and no GPU is held."""
    lasting = any(document["kind"] in ("Deployment", "StatefulSet", "LeaderWorkerSet", "RayService", "RayCluster") for document in documents)
    if lasting:
        return
    for document in documents:
        plural, condition = ENDS.get(document["kind"], (None, None))
        if document["apiVersion"].startswith("batch.volcano.sh"):
            plural = "volcano"
        if not plural:
            continue
        def over(plural=plural, condition=condition):
            lab.kubelets.end(to_end(space, document["kind"]))
            found = space.held(plural)
            if plural == "volcano":
                return all(((thing.get("status") or {}).get("state") or {}).get("phase") == "Completed" for thing in found)
            return all(condition in pods.conditions(thing) for thing in found)
        report.check(f"{case.label} ends", space.until(over, 30), [f"{pods.conditions(thing)} {pods.why(thing)}" for thing in space.held(plural)])
        running = [pod["metadata"]["name"] for pod in space.running()]
        report.check(f"{case.label} holds no pod after its end", space.until(lambda: not space.running(), 10), running)


def to_end(space, kind):
    """Of an MPIJob the launcher alone ends by itself."""
    running = space.running()
    if kind == "MPIJob":
        return [pod for pod in running if (pod["metadata"].get("labels") or {}).get("training.kubeflow.org/job-role") == "launcher"]
    return running

"""Traps that show on a control plane: the broken manifest of `tests/traps/broken` beside muster's own for the same job,
`tests/traps/ours`. One function looks at what becomes of either; what it sees of the broken one must be the fault, and of
ours the right thing. `tests/traps/traps.tsv` says which traps are shown here."""
import concurrent.futures
import pathlib
import re
import subprocess

import yaml

from . import nodes, pods, queues
from .api import Refused
from .chains import kubectl_of
from .fleet import Site
from .lab import Kept

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "tests" / "traps"
TTL = 10  # seconds after which an object goes, in place of the 60 of the broken file

SITE = """fleet f {{
  pool h100 {{ nodes = "n[1-4]"  gpu {{ model = h100  memory = 80GB  count = 1 }}  node {{ cpus = 64  memory = 1TB }} }}
}}
site traps {{
  fleet = f
  plane main {{ kind = kubernetes  version = "1.36"  namespace = "{space}"  gang = volcano  gpu-labels = eks  scaler = hpa }}
  queue main {{ name = "default"  default = true }}
  software any {{ image = "registry.example/any:1" }}
}}
"""


class Side:
    """One of the two files of a trap, in a namespace whose pods have nodes of their own."""

    def __init__(self, lab, trap, kind):
        self.lab, self.api, self.trap, self.kind = lab, lab.api, trap, kind
        self.name = lab.space_name("trap")
        self.space, self.folder = lab.space(self.name), lab.folder / "traps" / self.name
        self.folder.mkdir(parents=True)
        self.site = self.folder / "site.muster"
        self.site.write_text(SITE.format(space=self.name))
        self.machines = []

    def furnish(self, count):
        """A namespace, and so many nodes with a GPU each, as Karpenter labels them."""
        queues.namespace(self.api, self.name, nodes={"cell": self.name})
        self.grow(count)

    def grow(self, count):
        """The nodes become so many."""
        more = list(Site(self.lab.muster, self.site).nodes())[len(self.machines):count]
        for machine in more:
            machine.update(name=f"{self.name}-{machine['name']}", taints=[])
            machine["labels"]["cell"] = self.name
        nodes.make(self.api, more)
        self.machines += more

    def documents(self):
        """The objects of the file, in this namespace."""
        if self.kind == "broken":
            text = (FOLDER / "broken" / f"{self.trap}.yaml").read_text()
            found = list(yaml.safe_load_all(text.replace("ttlSecondsAfterFinished: 60", f"ttlSecondsAfterFinished: {TTL}")))
        else:
            spec = FOLDER / "ours" / f"{self.trap}.muster"
            target = re.search(r"^# target: (\w+)$", spec.read_text(), re.M)
            found, said = self.lab.compile(spec, self.site, target[1] if target else "kubernetes")
            if found is None:
                raise LookupError(said)
        for document in found:
            document["metadata"]["namespace"] = self.name
        return found

    def create(self):
        self.lab.create(self.documents())

    def running(self, count):
        """So many running pods; fewer where they do not start."""
        return self.space.until(lambda: (found := self.space.running()) and len(found) >= count and found, 30) or []

    def close(self):
        self.space.clear(by_others=True)
        for machine in self.machines:
            self.api.delete(f"/api/v1/nodes/{machine['name']}")


# ---- what becomes of a file ----------------------------------------------------------------------

def admitted(side):
    """The server's answer."""
    try:
        side.create()
    except Refused as refused:
        return "refused" if "must be equal to nvidia.com/gpu limit" in str(refused) else str(refused)
    return f"{len(side.running(1))} pod runs"


def tries(side):
    """How many pods a Job starts whose program fails."""
    side.create()
    side.lab.kubelets.end(side.running(1), 1)
    side.space.until(lambda: len(side.space.pods()) > 1 or "Failed" in pods.conditions(side.space.held("jobs")[0]), 30)
    return {1: "1 pod", 2: "2 pods"}.get(len(side.space.pods()))


def remains(side):
    """What is left of a Job that has ended, some time later."""
    side.create()
    side.lab.kubelets.end(side.running(1), 0)
    side.space.until(lambda: not side.space.held("jobs"), TTL + 10)
    return f"Jobs: {len(side.space.held('jobs'))}, pods with logs: {len(side.space.pods())}"


def placed(side):
    """Whether the pod that wants a model of GPU finds a node that has it."""
    side.create()

    def said():
        return "; ".join(pods.why(pod) for pod in side.space.pods())
    side.space.until(lambda: side.space.running() or "affinity/selector" in said(), 30)
    if side.space.running():
        return "1 pod runs"
    return "no node matches its selector" if "affinity/selector" in said() else said()


def part_of_gang(side):
    """How much of four pods runs where there is room for two, and then for all."""
    side.create()
    side.space.until(lambda: side.space.held("podgroups"), 20)
    side.space.until(side.space.running, 8)  # of a gang that waits, none ever does
    side.space.settle(quiet=3.0, limit=20)
    part = len(side.space.running())
    side.grow(4)
    return f"{part} of 4 pods run, then {len(side.running(4))}"


def after_apply(side):
    """How many replicas run once the file is applied again to a service that an autoscaler has made larger."""
    manifest = side.folder / "manifest.yaml"
    manifest.write_text(yaml.safe_dump_all(side.documents()))
    apply(side, manifest)
    name = side.space.held("deployments")[0]["metadata"]["name"]
    side.api.patch(f"/apis/apps/v1/namespaces/{side.name}/deployments/{name}/scale", {"spec": {"replicas": 3}})  # as the autoscaler does
    grown = len(side.running(3))
    apply(side, manifest)
    side.space.settle(quiet=2.0, limit=20)
    return f"{grown} replicas, then {len(side.space.running())}"


def apply(side, manifest):
    done = subprocess.run([kubectl_of(side.lab) / "kubectl", "apply", "-f", manifest], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    if done.returncode:
        raise LookupError(done.stderr)


def resolved(side):
    """How many pods of a headless Service have a name while none of them is ready."""
    side.lab.kubelets.unready.add(side.name)
    side.create()
    running = side.running(4)

    def endpoints():
        return [endpoint for found in side.api.items(f"/apis/discovery.k8s.io/v1/namespaces/{side.name}/endpointslices") for endpoint in found.get("endpoints") or []]
    side.space.until(lambda: len(endpoints()) >= 4, 20)
    return f"{len(running)} pods run, {sum(bool(endpoint['conditions'].get('ready')) for endpoint in endpoints() if endpoint.get('hostname'))} have a name"


# What is looked at, nodes with a GPU each, what becomes of the broken file, and of ours.
TRAPS = {
    "short-lived": (remains, 1, "Jobs: 0, pods with logs: 0", "Jobs: 1, pods with logs: 1"),
    "silent-retries": (tries, 2, "2 pods", "1 pod"),
    "gang-of-one": (part_of_gang, 2, "2 of 4 pods run, then 4", "0 of 4 pods run, then 4"),
    "replicas-and-autoscaler": (after_apply, 4, "3 replicas, then 2", "3 replicas, then 3"),
    "rendezvous-waits-for-ready": (resolved, 4, "4 pods run, 0 have a name", "4 pods run, 4 have a name"),
    "karpenter-gpu-name": (placed, 1, "no node matches its selector", "1 pod runs"),
    "gpu-requests-differ": (admitted, 2, "refused", "1 pod runs"),
}


def one(lab, trap, kind):
    """What was seen of one of the two files."""
    report, side = Kept(), Side(lab, trap, kind)
    look, count, fault, right = TRAPS[trap]
    want = fault if kind == "broken" else right
    side.furnish(count)
    try:
        seen = look(side)
    except (Refused, OSError, KeyError, IndexError, LookupError) as error:
        seen = f"{type(error).__name__}: {error}"
    report.check(f"trap {trap}: {'the broken manifest shows it' if kind == 'broken' else 'ours does not have it'}: {want}", seen == want, seen)
    side.close()
    return report


def run(lab, report, words=()):
    queues.volcano_queue(lab.api, "default")
    chosen = [(trap, kind) for trap in TRAPS if not words or any(word in trap for word in words) for kind in ("broken", "ours")]
    seen = lab.again(lambda case: one(lab, *case), chosen, len(chosen), lambda _, kept: kept.failed)
    for case in chosen:
        seen[case].hand_over(report)

"""Gangs of Kubernetes itself, on a control plane with the gates that they need: 1.36 (the sandbox's own) or 1.37
(`MUSTER_KUBE`). Not a part of the judge: the gates are off by default, so that it has a cluster of its own."""
import re
import subprocess

import yaml

from . import handwritten_pods, nodes, pods, queues
from .api import Refused
from .fleet import Site
from .gangs import belongs
from .lab import Lab, Report

SLOTS = 8  # nodes with a GPU each, on two leaves
LEVEL = "example.com/leaf"

# By version: the gates of Kubernetes, the words of the site for them, what the API server serves besides.
PLANES = {
    "1.36": (("GenericWorkload", "GangScheduling", "WorkloadAwarePreemption", "TopologyAwareWorkloadScheduling"), "scheduling.k8s.io/v1alpha2"),
    "1.37": (("GenericWorkload", "WorkloadWithJob", "TopologyAwareWorkloadScheduling"), "scheduling.k8s.io/v1beta1"),
}

# Forms: the target, and whether the Job controller makes the group.
FORMS = {"job": ("kubernetes", True), "group": ("kubernetes", False), "jobset": ("jobset", False), "lws": ("lws", False)}
BODY = {"lws": 'kind = serve  port http { number = 8000 }  command = ["vllm", "serve"]'}

SITE = """fleet f {{
  pool h100 {{
    nodes     = "n[1-8]"
    leaf-size = 4
    gpu       {{ model = h100  memory = 80GB  count = 1 }}
    node      {{ cpus = 16  memory = 128GB  reserve-cpus = 0  reserve-memory = 0B }}
  }}
}}
site cell {{
  fleet = f
  plane main {{
    kind      = kubernetes
    version   = "{version}"
    namespace = "{space}"
    gang      = kube-scheduler
    gates     = [{gates}]
    operator jobset {{ version = "0.12" }}
    operator lws {{ version = "0.9" }}
    level leaf {{ label = "{level}" }}
  }}
  gpu h100      {{ label = "{space}" }}
  priority high {{ class = "cell-high" }}
  priority low  {{ class = "cell-low" }}
  software any  {{ image = "registry.example/any:1" }}
}}
"""


def word(gate):
    """WorkloadWithJob as a site says it: workload-with-job."""
    return re.sub(r"(?<!^)([A-Z])", r"-\1", gate).lower()


def version_of(kube):
    said = subprocess.run([kube, "apiserver", "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"v(\d+\.\d+)", said)[1]


class Slots:
    """Eight slots, and namespaces on them that one scenario has to itself."""

    def __init__(self, lab, version, form):
        self.lab, self.version, self.form = lab, version, form
        self.target, by_job = FORMS[form]
        self.gates = [word(gate) for gate in PLANES[version][0] if by_job or gate != "WorkloadWithJob"]
        self.name = lab.space_name(form)
        self.folder = lab.folder / "cells" / self.name
        self.folder.mkdir(parents=True)
        self.spaces = {}
        site = self.site(self.name)
        self.machines = Site(lab.muster, site, exact=True).nodes()
        for machine in self.machines:
            machine["name"] = f"{self.name}-{machine['name']}"
            machine["labels"][LEVEL] = f"{self.name}-{machine['labels'][LEVEL]}"
        nodes.make(lab.api, self.machines)

    def site(self, space):
        """The site with this namespace; its nodes have the same GPUs in all of them."""
        text = SITE.format(version=self.version, space=space, gates=", ".join(self.gates), level=LEVEL)
        path = self.folder / f"{space}.muster"
        path.write_text(text.replace(f'label = "{space}"', f'label = "{self.name}"'))
        return path

    def documents(self, gang, size, more=""):
        """What muster writes for a gang, in a namespace of its own."""
        space = f"{self.name}-{gang}"
        if gang not in self.spaces:
            queues.namespace(self.lab.api, space)
            self.spaces[gang] = self.lab.space(space)
        body = BODY.get(self.form, 'kind = train  command = ["python3", "train.py"]')
        spec = self.folder / f"{gang}.muster"
        spec.write_text(f"workload {gang} {{\n  {body}\n  resources {{ nodes = {size}  gpus = 1  gpu = h100  cpus = 1  memory = 1GiB }}\n  software = any\n  {more}\n}}\n")
        found, said = self.lab.compile(spec, self.site(space), self.target)
        if found is None:
            raise LookupError(said)
        return found

    def submit(self, gang, size, more="", policy=True):
        documents = self.documents(gang, size, more)
        self.lab.create(documents if policy else without_policy(documents), f"{self.name}-{gang}")

    def running(self, gang):
        return [pod for pod in self.spaces[gang].running() if belongs(pod, gang)]

    def starts(self, gang, size, seconds=60):
        return bool(self.spaces[gang].until(lambda: len(self.running(gang)) == size, seconds))

    def counts(self, *gangs):
        """How many pods of each gang run, once nothing has changed for some time."""
        for gang in gangs:
            self.spaces[gang].settle(quiet=5.0, limit=40)
        return [len(self.running(gang)) for gang in gangs]

    def end(self, gang):
        space = self.spaces[gang]
        if self.form == "lws":
            self.lab.api.delete(f"/apis/{pods.GROUPS['leaderworkersets']}/namespaces/{space.name}/leaderworkersets/{gang}")
        else:
            self.lab.kubelets.end(self.running(gang))

    def hold(self, machine):
        """A pod outside of all gangs has the node's GPU, until it is deleted: its path."""
        queues.namespace(self.lab.api, self.name)
        gpu = {"nvidia.com/gpu": "1"}
        self.lab.api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "outside", "namespace": self.name},
                             "spec": {"nodeName": self.machines[machine]["name"], "tolerations": [{"operator": "Exists"}],
                                      "containers": [{"name": "main", "image": "any", "resources": {"limits": gpu, "requests": gpu}}]}})
        return f"/api/v1/namespaces/{self.name}/pods/outside"

    def close(self):
        for space in self.spaces.values():
            space.clear()
        for machine in self.machines:
            self.lab.api.delete(f"/api/v1/nodes/{machine['name']}")


def without_policy(documents):
    """The same pods as the stock scheduler would take them, had nobody said that they are a gang."""
    text = [yaml.safe_dump(document) for document in documents if document["kind"] != "PodGroup"]
    found = [yaml.safe_load(document) for document in text]

    def strip(node):
        if isinstance(node, dict):
            for key in ("schedulingGroup", "scheduling"):
                node.pop(key, None)
            node = list(node.values())
        for below in node if isinstance(node, list) else []:
            strip(below)
    strip(found)
    return found


# ---- what happens: a scenario says it in one word ------------------------------------------------------


def follows(slots, size=5):
    """`follows`: one gang is whole, the other has nothing and starts when the first has ended; `part`: both hold slots."""
    found = slots.counts("a", "b")
    if sorted(found) != [0, size]:
        return f"part ({found[0]} and {found[1]} of {size})"
    first, second = ("a", "b") if found[0] else ("b", "a")
    slots.end(first)
    return "follows" if slots.starts(second, size) else "stays"


def race(slots):
    """Two gangs of five at once."""
    slots.submit("a", 5)
    slots.submit("b", 5)
    return follows(slots)


def interleaved(slots, policy=True):
    """Four pods of each gang come first, then the fifth of each: the order in which both can hold a part."""
    for gang in ("a", "b"):
        slots.documents(gang, 5)  # the namespace
        slots.lab.api.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "four", "namespace": f"{slots.name}-{gang}"}, "spec": {"hard": {"pods": "4"}}})
    for gang in ("a", "b"):
        slots.submit(gang, 5, policy=policy)
        slots.spaces[gang].until(lambda gang=gang: len(slots.spaces[gang].pods()) == 4, 30)
    slots.counts("a", "b")
    for gang in ("a", "b"):
        slots.lab.api.delete(f"/api/v1/namespaces/{slots.name}-{gang}/resourcequotas/four")
    for gang in ("a", "b"):
        slots.spaces[gang].until(lambda gang=gang: len(slots.spaces[gang].pods()) == 5, 90)
    return follows(slots)


def without(slots):
    return interleaved(slots, policy=False)


def held(slots):
    """A gang of all slots, one of which is held by a pod outside: it starts when that is gone."""
    outside = slots.hold(0)
    slots.submit("a", SLOTS)
    (found,) = slots.counts("a")
    if found:
        return f"part ({found} of {SLOTS})"
    slots.lab.api.delete(outside, gracePeriodSeconds=0)
    return "follows" if slots.starts("a", SLOTS) else "stays"


def preemption(slots):
    """A gang of high priority needs two slots of a running one of low priority, which goes whole."""
    slots.submit("a", 5, "priority = low")
    if not slots.starts("a", 5):
        return "low does not start"
    slots.submit("b", 5, "priority = high")
    slots.starts("b", 5)
    found = slots.counts("a", "b")
    return "whole" if found == [0, 5] else f"part ({found[0]} and {found[1]} of 5)"


def topology(slots):
    """A gang of five never finds a leaf of four; one of four does."""
    slots.submit("a", 4, "topology { within = leaf  required = true }")
    if not slots.starts("a", 4):
        return "four do not start"
    leaves = {machine["name"]: machine["labels"][LEVEL] for machine in slots.machines}
    on = {leaves[pod["spec"]["nodeName"]] for pod in slots.running("a")}
    return "one leaf" if len(on) == 1 else f"{len(on)} leaves"


def restart(slots):
    """A program of a running gang fails, and a second gang waits for its slots: the pods that come back are a gang too."""
    slots.submit("a", 5, "retry { limit = 3  on = [failure] }")
    if not slots.starts("a", 5):
        return "the first does not start"
    slots.submit("b", 5)
    slots.counts("b")
    before = {pod["metadata"]["uid"] for pod in slots.running("a")}
    slots.lab.kubelets.end(slots.running("a")[:1], 1)
    slots.spaces["a"].until(lambda: len(pods_now := slots.spaces["a"].pods()) == 5 and not before & {pod["metadata"]["uid"] for pod in pods_now}, 60)
    found = slots.counts("a", "b")
    return "whole" if sorted(found) == [0, 5] else f"part ({found[0]} and {found[1]} of 5)"


EXPECTED = {race: "follows", interleaved: "follows", without: "part (4 and 4 of 5)", held: "follows", preemption: "whole", topology: "one leaf", restart: "whole"}
OF_SERVICES = (race, held)  # a service has neither priority nor topology here


def cases(version):
    """1.36 has no field of a Job for its gang; a Job does not retry a gang."""
    return [(form, scenario) for form in FORMS for scenario in EXPECTED
            if (form != "job" or version != "1.36") and (form != "lws" or scenario in OF_SERVICES) and (form == "jobset" or scenario is not restart)]


def run(parts, folder, muster, words):
    """The exit code. `words`: forms or scenarios to choose."""
    version = version_of(parts.program("kube"))
    if version not in PLANES:
        print(f"Kubernetes {version} is neither of {' '.join(PLANES)}")
        return 2
    gates, served = PLANES[version]
    report, lab = Report(), Lab(parts, folder, muster)
    lab.plane.gates, lab.plane.served = gates, (served,)
    try:
        lab.up(("jobset", "lws"))
        report.say(f"up: Kubernetes {version} with {' '.join(gates)}")
        for name, value in (("cell-high", 1000), ("cell-low", 10)):
            queues.priority(lab.api, name, value)
        if version == "1.36" and (not words or "handwritten" in words):
            handwritten_pods.run(lab, report, lab.muster, ("kube-scheduler",))
        for form, scenario in cases(version):
            if not words or form in words or scenario.__name__ in words:
                look(report, lab, version, form, scenario)
    finally:
        lab.down()
    report.say(f"{report.failed} failed")
    return 1 if report.failed else 0


def look(report, lab, version, form, scenario):
    slots = Slots(lab, version, form)
    try:
        seen = scenario(slots)
    except (LookupError, Refused) as why:
        seen = f"refused: {why}"
    detail = "; ".join(f"{pod['metadata']['name']} {pods.state(pod)} {pods.why(pod)}" for space in slots.spaces.values() for pod in space.pods())
    report.check(f"{version} {form}: {scenario.__name__}: {seen}", seen == EXPECTED[scenario], f"expected {EXPECTED[scenario]}; {detail}")
    slots.close()

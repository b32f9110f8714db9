"""Faults in manifests, put to a real control plane with its operators (tests/cluster): what kubectl, the API server and the operators
answer, and which pods come of a file. A proof is a function: what was seen, as text."""
import collections
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import yaml

from . import HERE

sys.path.insert(0, str(HERE.parent / "cluster"))
from cluster import broken, chains, container, lab, nodes, parts, pods, queues  # noqa: E402

NODES = 8  # of each kind that a file selects
ROOM = {"cpu": "512", "memory": "8Ti", "ephemeral-storage": "16Ti", "pods": "110"}
RACK = "cloud.provider.com/topology-rack"


class Cluster:
    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-board-"))
        self.lab = lab.Lab(parts.Parts(parts.source()), self.folder, None)
        self.numbers = itertools.count(1)
        self.lab.up(parts.OPERATORS)
        queues.volcano_queue(self.lab.api, "default")
        self.kubectl = chains.kubectl_of(self.lab) / "kubectl"
        return self

    def __exit__(self, *_):
        self.lab.down()
        subprocess.run(["rm", "-rf", self.folder], check=False)

    def name(self):
        return "Kubernetes 1.36"

    def seen(self, row, files):
        """What becomes of the row's file; the first of the files, which lie in one folder."""
        proof, _, word = row.proof.partition(":")
        side = Side(self, files)
        try:
            return PROOFS[proof](side, row.expect, word)
        finally:
            side.close()


class Side:
    """A namespace with what the files need: nodes with the labels that they select and the resources that they name, queues, claims."""

    def __init__(self, cluster, files):
        self.cluster, self.lab, self.api, self.files = cluster, cluster.lab, cluster.lab.api, files
        self.documents = [document for file in files for document in read(file)]
        spaces = {document["metadata"].get("namespace") for document in self.documents} - {None}
        self.name = spaces.pop() if spaces else f"board-{next(cluster.numbers)}"
        self.space = self.lab.space(self.name)
        self.machines = []

    def close(self):
        self.space.clear(by_others=True)
        for machine in self.machines:
            self.api.delete(f"/api/v1/nodes/{machine['name']}")

    def furnish(self, count=NODES, room=ROOM):
        parts_ = list(queues.walk(self.documents))
        racks = {RACK: "r1"} if RACK in str(self.documents) else {}
        resources = {name: str(NODES) for part in parts_ for kind in ("limits", "requests") if isinstance(part.get(kind), dict) for name in part[kind] if "/" in name}
        selected = [part["nodeSelector"] for part in parts_ if isinstance(part.get("nodeSelector"), dict)] or [{}]
        labels = [{key: str(value) for key, value in {**racks, **each}.items()} for each in selected]
        self.machines = [{"name": f"{self.name}-{i}-{j}", "labels": {**each, "topology.kubernetes.io/zone": "z1"}, "capacity": {**room, **resources}}
                    for i, each in enumerate(labels) for j in range(count)]
        nodes.make(self.api, self.machines)
        queues.cluster_queue(self.api, f"{self.name}-all", self.machines, RACK if racks else None)
        queues.provide(self.api, self.name, self.documents, f"{self.name}-all")
        for part in parts_:
            if isinstance(part.get("serviceAccountName"), str):
                self.api.ensure({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": part["serviceAccountName"], "namespace": self.name}})
            if name := (part.get("labels") or {}).get("kueue.x-k8s.io/priority-class") if isinstance(part.get("labels"), dict) else None:
                self.api.ensure({"apiVersion": queues.KUEUE, "kind": "WorkloadPriorityClass", "metadata": {"name": name}, "value": 1000})

    def ask(self, verb, *words, files=None):
        """kubectl as a person calls it; it checks fields strictly, which is its default too."""
        named = [word for file in files or self.files for word in ("-f", file.name)]
        return subprocess.run([self.cluster.kubectl, verb, "-n", self.name, "--validate=strict", *words, *named], cwd=self.files[0].parent, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60, check=False)

    def running(self, count):
        """The pods that run, once there are so many and no more come."""
        self.space.until(lambda: len(self.space.running()) >= count, 40)
        self.space.settle(quiet=3.0, limit=30)
        return self.space.running()


def read(file):
    try:
        return [document for document in yaml.safe_load_all(file.read_text()) if document]
    except yaml.YAMLError:  # the fault itself
        return []


# ---- proofs: what was seen, or "" ----------------------------------------------------------------

def refused(side, expect, _):
    """kubectl creates the file, and is refused."""
    if not any(document["kind"] == "Namespace" for document in side.documents):
        queues.namespace(side.api, side.name)
    done = side.ask("create")
    return line_of(expect, done.stderr) or done.stderr if done.returncode else ""


def waits(side, expect, _):
    """The file is taken, and then something says why its pods are not there."""
    side.furnish()
    if side.ask("create").returncode:
        return ""
    return side.space.until(lambda: line_of(expect, broken.words_of(side.space).replace("; ", "\n")), 40)


def runs(side, expect, replicas):
    """Pods run: how many, with how many GPUs, and what their program gets. `replicas`: after an autoscaler has asked for so many."""
    side.furnish()
    done = side.ask("create")
    if done.returncode:
        return done.stderr
    wanted = dict(word.split("=", 1) for word in expect.split())
    if replicas:
        side.running(1)
        scale(side, int(replicas))
    found = [pod for pod in side.running(int(wanted["pods"])) if pods.gpus(pod)]
    if not found:
        return ""
    main = container.main(found[0])
    env = container.Runner(side.space, None, None).environment(found[0], main)
    words = " ".join(container.expanded(word, env) for word in [*main.get("command", []), *main.get("args", [])])
    options = dict(re.findall(r"(--[\w-]+)[= ](\S+)", words))
    facts = {"pods": len(found), "GPUs": pods.gpus(found[0]), **env, **options}
    return " ".join(f"{name}={facts.get(name)}" for name in wanted)


def scale(side, replicas):
    job = next(document for document in side.documents if document["kind"] == "PyTorchJob")
    path = f"/apis/{job['apiVersion']}/namespaces/{side.name}/pytorchjobs/{job['metadata']['name']}/scale"
    side.api.patch(path, {"spec": {"replicas": replicas}})


def crowded(side, _, room):
    """One node has room for so many pods: how many of each task run."""
    side.furnish(1, {**ROOM, "pods": room})
    if (done := side.ask("create")).returncode:
        return done.stderr
    side.running(1)
    tasks = collections.Counter((pod["metadata"]["labels"].get("volcano.sh/task-spec", ""), pods.state(pod)) for pod in side.space.pods())
    return ", ".join(f"{task}: {count} {state}" for (task, state), count in sorted(tasks.items()))


def reapplied(side, *_):
    """Applied, made larger as an autoscaler does it, applied again."""
    side.furnish()
    if (done := side.ask("apply")).returncode:
        return done.stderr
    before = len(side.running(1))
    name = next(document["metadata"]["name"] for document in side.documents if document["kind"] == "Deployment")
    side.api.patch(f"/apis/apps/v1/namespaces/{side.name}/deployments/{name}/scale", {"spec": {"replicas": before + 2}})
    grown = len(side.running(before + 2))
    side.ask("apply")
    side.space.until(lambda: len(side.space.running()) < grown, 20)
    time.sleep(1)
    return f"{before} runs, then {grown}, then {len(side.space.running())}"


def twice(side, _, key):
    """A key that is set twice: what kubectl makes of it, and what the API server says to the text as it is."""
    queues.namespace(side.api, side.name)
    if (done := side.ask("create")).returncode:
        return done.stderr
    pod = next(document for document in side.documents if document["kind"] == "Pod")
    stored = side.api.ask(f"/api/v1/namespaces/{side.name}/pods/{pod['metadata']['name']}")["spec"]["containers"][0].get(key)
    text = next(part for part in side.files[0].read_text().split("\n---\n") if f"name: {pod['metadata']['name']}\n" in part)
    asked = side.api.connection()
    asked.request("POST", f"/api/v1/namespaces/{side.name}/pods?fieldValidation=Strict", text, {"Authorization": "Bearer judge", "Content-Type": "application/yaml", "Accept": "application/json"})
    return f"kubectl creates the pod with {key} = {json.dumps(stored)}, warnings: {done.stderr.strip() or 'none'}\nAPI server: {json.loads(asked.getresponse().read()).get('message')}"


def line_of(expect, text):
    """The line that says it."""
    return next((line.strip() for line in text.splitlines() if re.search(expect, line)), "")


PROOFS = {"refused": refused, "waits": waits, "runs": runs, "reapplied": reapplied, "twice": twice, "crowded": crowded}

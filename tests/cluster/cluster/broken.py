"""Manifests with one fault each, which an operator refuses (`# says:`), which wait for a stated reason (`# waits:`), or of whose two gangs
of the stated size the judge must notice that neither starts whole or not at all (`# halves:`)."""
import pathlib
import re

import yaml

from . import coupled, nodes, pods, queues
from .api import Refused

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "broken"


def run(lab, report, words=()):
    machines = [{"name": f"broken-{i}", "labels": {}, "capacity": {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": "8"}} for i in range(4)]
    nodes.make(lab.api, machines)
    queues.cluster_queue(lab.api, "broken", machines)
    for path in sorted(FOLDER.glob("*.yaml")):
        if not words or any(word in path.name for word in words):
            one(lab, report, path)
    queues.remove_cluster_queue(lab.api, "broken")
    for machine in machines:
        lab.api.delete(f"/api/v1/nodes/{machine['name']}")


def one(lab, report, path):
    kind, reason = re.match(r"# (says|waits|halves): (.*)\n", path.read_text()).groups()
    space = lab.space(lab.space_name("b"))
    queues.namespace(lab.api, space.name)
    queues.local_queue(lab.api, space.name, "small", "broken")
    try:
        lab.create([document for document in yaml.safe_load_all(path.read_text())], space.name)
        said = ""
    except Refused as refused:
        said = str(refused)
    if kind == "says":
        report.check(f"broken/{path.name} is refused", said and re.search(reason, said), said or "it was taken")
    elif not report.check(f"broken/{path.name} is taken", not said, said):
        pass
    elif kind == "halves":
        space.until(space.running, 60)
        space.settle(quiet=4.0)
        counts = [sum(pod["metadata"]["name"].startswith(f"{name}-") for pod in space.running()) for name in ("a", "b")]
        report.check(f"broken/{path.name} is noticed", sum(counts) and not coupled.one_is_whole(counts, int(reason)), f"{counts} of {reason} run")
    else:
        answer = space.until(lambda: re.search(reason, words_of(space)), 60)
        report.check(f"broken/{path.name} waits", answer and not space.running(), words_of(space))
    space.clear()


def words_of(space):
    """What the cluster says of what waits."""
    things = [*space.held("workloads"), *space.held("podgroups"), *space.pods()]
    return "; ".join([pods.why(thing) for thing in things] + [event.get("message", "") for event in space.core("events")])

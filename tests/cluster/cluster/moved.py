"""PyTorchJobs, and the TrainJobs that `muster compile JOB.yaml --target trainjob` makes of them: the pods that both operators make run
the same programs with the same ranks."""
import collections
import pathlib
import re
import sys

import yaml

from . import container, pods, queues
from .api import Refused
from .fleet import Site
from .lab import Kept

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "handwritten"))
import handwritten  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "moved"
AT_ONCE = 4
PATIENCE = 120.0 # seconds until pods run, where all of the machine is busy
# By which ranks find each other: their names and values are compared apart.
MEETING = re.compile(r"PET_|MASTER_|WORLD_SIZE$|RANK$|LOCAL_|MUSTER_|PYTHONUNBUFFERED$|PATH$|PWD$|HOSTNAME$|OLDPWD$|SHLVL$|_$|JOB_COMPLETION_INDEX$|HOME$")


def run(lab, report, muster, names=()):
    """`names`: only files whose names hold one of these words."""
    site = Site(muster, FOLDER / "site.muster")
    lab.furnish(site, 0, name="moved")
    chosen = [path for path in sorted(FOLDER.glob("*.yaml")) if not names or any(name in path.stem for name in names)]
    for kept in lab.again(lambda path: one(lab, path), chosen, AT_ONCE, lambda _, kept: kept.failed).values():
        kept.hand_over(report)


def one(lab, path):
    """What was seen of a job before and after the move."""
    report, seen = Kept(), {}
    for who in ("original", "moved"):
        space = lab.space_name("m")
        try:
            documents = yaml.safe_load(path.read_text()), None
            if who == "moved":
                documents = lab.compile(path, lab.site_in(FOLDER / "site.muster", space), "trainjob")
                if documents[0] is None:
                    raise ValueError(documents[1])
            else:
                documents[0]["metadata"]["namespace"] = space
            seen[who] = behaviour(lab, report, f"{path.stem}, {who}", space, documents[0] if who == "moved" else [documents[0]], size(path))
        except (Refused, OSError, KeyError, ValueError) as error:
            report.check(f"{path.stem}, {who} is judged to its end", False, f"{type(error).__name__}: {error}")
    if len(seen) == 2 and all(call[3][-1] is None for call in seen["original"]):  # a rendezvous gives the ranks
        seen["moved"] = collections.Counter([(*call[:3], (*call[3][:-1], None), *call[4:]) for call in seen["moved"].elements()])
    same = len(seen) == 2 and seen["original"] == seen["moved"] and seen["original"]
    report.check(f"{path.stem}: pods, resources, programs, words, ranks and variables are those of the original", same, seen)
    return report


def size(path):
    replicas = yaml.safe_load(path.read_text())["spec"]["pytorchReplicaSpecs"]
    return sum(replica.get("replicas", 1) for replica in replicas.values())


def behaviour(lab, report, label, name, documents, count):
    """How many pods have what and call which program with what."""
    space = lab.space(name)
    queues.provide(lab.api, name, documents, "moved")
    lab.create(documents, name)
    space.until(lambda: len(space.running()) == count, PATIENCE)
    report.check(f"{label}: {count} pods run", len(space.running()) == count, [f"{pod['metadata']['name']} {pods.state(pod)} {pods.why(pod)}" for pod in space.pods()])
    runner = container.Runner(space, lab.base, lab.folder)
    faults = container.ranks(space, runner)
    report.check(f"{label}: has ranks and heads", not faults, "; ".join(faults))
    found = collections.Counter(call(runner.run(pod), pod, count) for pod in space.running())
    report.check(f"{label}: leaves nothing behind", space.clear(), [f"{pod['metadata']['name']} {pods.state(pod)}" for pod in space.pods()])
    return found


def call(seen, pod, count):
    if seen.code or not seen.argv:
        raise ValueError(f"its command ends with {seen.code}: {seen.error}")
    argv = seen.argv[:1] + seen.argv[3:] if seen.argv[1:3] == ["-m", "torch.distributed.run"] else seen.argv
    torch = len(argv) < len(seen.argv) or pathlib.PurePath(argv[0]).name == "torchrun"
    program, told, words = handwritten.program(["torchrun", *argv[1:]] if torch else argv, seen.env)
    asked = container.main(pod).get("resources") or {}
    limits = {**(asked.get("requests") or {}), **(asked.get("limits") or {})}
    env = {name: value for name, value in seen.env.items() if not MEETING.match(name)}
    meeting = ranks_of_torchrun(told, seen, pods.gpus(pod), count) if torch else tuple(seen.env.get(name) for name in ("RANK", "WORLD_SIZE"))
    return tuple(sorted(limits.items())), program, words, meeting, seen.env.get("PWD"), tuple(sorted(env.items()))


def ranks_of_torchrun(told, seen, gpus, count):
    """Nodes and processes of each; the node's rank where no rendezvous decides it. Of a range, the `count` that run; `auto` is a process for each GPU."""
    dynamic = container.first(seen.option("rdzv-backend"), seen.env.get("PET_RDZV_BACKEND")) == "c10d"
    rank = container.first(seen.option("node-rank"), seen.env.get("PET_NODE_RANK"))
    low, _, high = told.get("nnodes", "1").partition(":")
    nodes = str(count) if high and int(low) <= count <= int(high) else low
    each = told.get("nproc-per-node", "1")
    return nodes, str(gpus) if each == "auto" and gpus else each, None if dynamic else rank

"""Manifests that an expert wrote (tests/handwritten) beside muster's for the same jobs: the same pods run the same programs."""
import collections
import pathlib
import sys

import yaml

from . import container, examples, pods, queues
from .api import Refused
from .fleet import Site
from .lab import Kept

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "handwritten"))
import handwritten  # noqa: E402

LEAST = 40  # nodes of a pool
AT_ONCE = 6
# What programs read besides the variables of the spec: of the site, and of the user that an image does not know.
NAMES = ("HOME", "USER", "NCCL_IB_HCA", "NCCL_SOCKET_IFNAME")


def run(lab, report, muster, gangs, names=()):
    """`names`: only files whose names hold one of these words."""
    chosen = [job for job in handwritten.jobs() if job.is_pods and (not names or any(name in job.file for name in names))]
    for path in sorted({job.site_path for job in chosen}):
        site = Site(muster, path)
        if site.gang not in gangs:
            continue
        machines = lab.furnish(site, LEAST, topology=examples.label_of_level(site), name=f"hand-{site.name}")
        seen = lab.again(lambda job: one(lab, job, site), [job for job in chosen if job.site_path == path], AT_ONCE, lambda _, kept: kept.failed)
        for kept in seen.values():
            kept.hand_over(report)
        examples.remove(lab, f"hand-{site.name}", machines)


def one(lab, job, site):
    """What was seen of a job, by hand and by muster."""
    report, seen = Kept(), {}
    for who in ("muster", "hand"):
        case = examples.Case(job.spec, site, job.target)
        case.space = lab.space_name("h")
        case.label = f"{job.file}, by {who}"
        try:
            seen[who] = behaviour(lab, report, job, case, who)
        except (Refused, OSError, KeyError, ValueError) as error:
            report.check(f"{case.label} is judged to its end", False, f"{type(error).__name__}: {error}")
    report.check(f"{job.file}: pods, GPUs, programs, words and variables are those of muster's", len(seen) == 2 and seen["hand"] == seen["muster"] and seen["hand"], seen)
    return report


def behaviour(lab, report, job, case, who):
    """How many pods have so many GPUs and call which program with what."""
    site_file, space = lab.site_in(case.site.path, case.space), lab.space(case.space)
    documents, said = lab.compile(job.spec, site_file, job.target)
    if documents is None:
        raise ValueError(said)
    if who == "hand":
        documents = [document for document in yaml.safe_load_all(job.path.read_text()) if document]
        for document in documents:
            document["metadata"]["namespace"] = case.space
    queues.provide(lab.api, case.space, documents, f"hand-{case.site.name}")
    lab.create(documents, case.space)
    want = collections.Counter()
    for (_, gpus), count in examples.expected(lab, case, site_file).items():
        want[gpus] += count
    space.until(lambda: with_gpus(space.running()) == want, examples.PATIENCE)
    report.check(f"{case.label}: runs", with_gpus(space.running()) == want, [f"{pod['metadata']['name']} {pods.state(pod)} {pods.why(pod)}" for pod in space.pods()])
    runner = container.Runner(space, lab.base, lab.folder)
    faults = container.ranks(space, runner)
    report.check(f"{case.label}: has ranks and heads", not faults, "; ".join(faults))
    found = collections.Counter(call(job, runner.run(pod), pods.gpus(pod)) for pod in space.running())
    examples.ends(lab, report, case, space, documents)
    report.check(f"{case.label}: leaves nothing behind", space.clear(), [f"{pod['metadata']['name']} {pods.state(pod)}" for pod in space.pods()])
    return found


def with_gpus(everyone):
    return collections.Counter(pods.gpus(pod) for pod in everyone if pods.gpus(pod))


def call(job, seen, gpus):
    if seen.code or not seen.argv:
        raise ValueError(f"its command ends with {seen.code}: {seen.error}")
    program, told, words = handwritten.program(seen.argv, seen.env)
    env = {name: seen.env[name] for name in (*NAMES, *handwritten.variables(job)) if name in seen.env}
    rank = container.first(seen.option("node-rank"), seen.env.get("PET_NODE_RANK")) if program == "torchrun" else None
    return gpus, program, tuple(sorted(told.items())), rank, words, tuple(sorted(env.items()))

"""What the program runs, in stages: operators have other words where another provider schedules gangs."""
import resource
import threading
import time
import traceback

from . import broken, chains, examples, native, outcomes, queue_of_gangs, scenarios, table
from .lab import Lab, Report
from .operators import CONFIGURATIONS
from .parts import OPERATORS

# Gangs by Kueue need no word; Volcano's have to be switched on in the operators that make pods. The sites of the examples
# have no such word for the training operator: with it, a PyTorchJob of theirs would get no pods.
OF_SITES = {"kuberay": ("--batch-scheduler=volcano",), "lws": ("--config", str(CONFIGURATIONS / "lws-volcano.yaml"))}
BY_VOLCANO = {"training-operator": ("--gang-scheduler-name=volcano",), **OF_SITES}


def examples_of(*gangs):
    return lambda lab, report, words: examples.run(lab, report, lab.muster, gangs, words)


def gangs_of(*providers):
    return lambda lab, report, words: table.run(lab, report, providers, words)


def queues_of(*providers):
    return lambda lab, report, words: queue_of_gangs.run(lab, report, providers, words)


# Each stage: other words of operators, and phases that have nodes of their own and run side by side.
STAGES = (
    ({}, {"broken": broken.run, "chains": chains.run, "examples-kueue": examples_of("kueue", ""), "gangs-kueue": gangs_of("kueue", "kueue-topology"),
          "queues-kueue": queues_of("kueue", "kueue-topology")}),
    (OF_SITES, {"examples-volcano": examples_of("volcano")}),
    (BY_VOLCANO, {"gangs-volcano": gangs_of("volcano"), "queues-volcano": queues_of("volcano")}),
)


def run(parts, folder, muster, wanted, once=False):
    """The exit code. `wanted`: names of phases, each with a word after `:` to choose cases by; none: all."""
    names = [name for _, phases in STAGES for name in phases]
    words = {}
    for name, _, word in (each.partition(":") for each in wanted or names):
        words.setdefault(name, []).extend([word] if word else [])
    if words.keys() == {"native"}:  # a cluster of its own, see there
        return native.run(parts, folder, muster, words["native"])
    if unknown := words.keys() - set(names):
        print(f"there is no phase {unknown.pop()}; there are: {' '.join(names)}")
        return 2
    report, lab = Report(), Lab(parts, folder, muster, once)
    start = time.monotonic()
    try:
        lab.up(OPERATORS)
        report.say(f"up after {time.monotonic() - start:.1f} s")
        report.check("each scenario has its rows in the table of outcomes, in the same order", list(scenarios.ALL) == outcomes.SCENARIOS)
        for flags, phases in STAGES:
            stage(lab, report, flags, {name: work for name, work in phases.items() if name in words}, words)
    finally:
        lab.down()
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    report.say(f"{report.failed} failed; the largest process had {most} MiB")
    return 1 if report.failed else 0


def stage(lab, report, flags, phases, words):
    if not phases:
        return
    for name, own in flags.items():
        lab.plane.restart_operator(name, own)

    def guarded(name, work):
        try:
            work(lab, report, words[name])
        except Exception as error:  # noqa: BLE001
            report.say(traceback.format_exc().replace("\n", "\n# "))
            report.check(f"{name} ran to its end", False, f"{type(error).__name__}: {error}")
    threads = [threading.Thread(target=guarded, args=each, daemon=True) for each in phases.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

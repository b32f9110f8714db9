"""What the program runs, in stages: operators have other words where another provider schedules gangs."""
import resource
import threading
import time
import traceback

from . import autoscaling, broken, chains, coupled, examples, finished, gangs, handwritten_pods, lending, moved, native, nights, outcomes, pages, queue_of_gangs, raw_manifests, scenarios, sites, table, traps
from .lab import Lab, Report
from .operators import CONFIGURATIONS
from .parts import OPERATORS

# Gangs by Kueue need no word; Volcano's have to be switched on in the operators that make pods. The sites of the examples
# have no such word for the training operator: with it, a PyTorchJob of theirs that waits would get no pods, as the scenario
# `unlisted flag` shows.
OF_SITES = {"kuberay": ("--batch-scheduler=volcano",), "lws": ("--config", str(CONFIGURATIONS / "lws-volcano.yaml"))}
BY_VOLCANO = {"training-operator": ("--gang-scheduler-name=volcano",), **OF_SITES}


def examples_of(*providers):
    return lambda lab, report, words: examples.run(lab, report, lab.muster, providers, words)


def pages_of(*providers):
    return lambda lab, report, words: pages.run(lab, report, lab.muster, providers, words)


def handwritten_of(*providers):
    return lambda lab, report, words: handwritten_pods.run(lab, report, lab.muster, providers, words)


def gangs_of(*providers):
    return lambda lab, report, words: table.run(lab, report, providers, words)


def coupled_of(*providers):
    return lambda lab, report, words: coupled.run(lab, report, providers, words)


def nights_of(*providers):
    return lambda lab, report, words: nights.run(lab, report, providers, words)


def queues_of(*providers):
    return lambda lab, report, words: queue_of_gangs.run(lab, report, providers, words)


def raw_of(*providers):
    return lambda lab, report, words: raw_manifests.run(lab, report, providers, words)


def sites_of(volcano):
    return lambda lab, report, words: sites.run(lab, report, volcano, words)


def moved_to_trainer(lab, report, words):
    moved.run(lab, report, lab.muster, words)


def finished_of(provider):
    return lambda lab, report, words: finished.run(lab, report, (provider,), words)


BY_KAI = {"training-operator": (), "kuberay": ("--batch-scheduler=kai-scheduler",), "lws": ()}

# Each stage: other words of operators, and phases that have nodes of their own and run side by side.
STAGES = (
    ({}, {"broken": broken.run, "traps": traps.run, "chains": chains.run, "moved": moved_to_trainer, "examples-kueue": examples_of("kueue", ""), "pages-kueue": pages_of("kueue", ""),
          "handwritten-kueue": handwritten_of("kueue"), "finished-kueue": finished_of("kueue"), "gangs-kueue": gangs_of("kueue", "kueue-topology"),
          "nights-kueue": nights_of("kueue"), "coupled-kueue": coupled_of("kueue", "kueue-topology"), "queues-kueue": queues_of("kueue", "kueue-topology"), "raw-kueue": raw_of("kueue", "kueue-topology"), "lending-kueue": lending.run, "sites-kueue": sites_of(False)}),
    (OF_SITES, {"examples-volcano": examples_of("volcano"), "pages-volcano": pages_of("volcano"), "handwritten-volcano": handwritten_of("volcano")}),
    (BY_VOLCANO, {"gangs-volcano": gangs_of("volcano"), "nights-volcano": nights_of("volcano"), "coupled-volcano": coupled_of("volcano"), "queues-volcano": queues_of("volcano"), "finished-volcano": finished_of("volcano"), "sites-volcano": sites_of(True)}),
)

# Stages that are run when they are asked for by name: an operator that `build` makes when it is told to, other words of operators, phases.
BY_HAND = (
    ("keda", {}, {"autoscaling": autoscaling.run}),
    ("kai", BY_KAI, {"gangs-kai": gangs_of("kai")}),
)


def run(parts, folder, muster, wanted, once=False):
    """The exit code. `wanted`: names of phases, each with a word after `:` to choose cases by; none: all but those by hand."""
    names = [name for _, phases in STAGES for name in phases]
    by_hand = {name: operator for operator, _, phases in BY_HAND for name in phases}
    words = {}
    for name, _, word in (each.partition(":") for each in wanted or names):
        words.setdefault(name, []).extend([word] if word else [])
    if words.keys() == {"native"}:  # a cluster of its own, see there
        return native.run(parts, folder, muster, words["native"])
    if unknown := words.keys() - set(names) - by_hand.keys():
        print(f"there is no phase {unknown.pop()}; there are: {' '.join([*names, *by_hand])}")
        return 2
    for name in [name for name in words if name in by_hand and not parts.has(by_hand[name])]:
        print(f"# {name} is left out: its programs are not there (tests/cluster/build {by_hand[name]})")
        del words[name]
    if not words:
        return 0
    report, lab = Report(), Lab(parts, folder, muster, once)
    start = time.monotonic()
    try:
        lab.up(OPERATORS, defined=sorted({"keda", *(by_hand[name] for name in words if name in by_hand)}))
        gangs.make_priorities(lab.api, "kueue" in lab.plane.operators)
        report.say(f"up after {time.monotonic() - start:.1f} s")
        report.check("each scenario has its rows in the table of outcomes, in the same order", list(scenarios.ALL) == outcomes.SCENARIOS)
        for flags, phases in STAGES:
            stage(lab, report, flags, {name: work for name, work in phases.items() if name in words}, words)
        for operator, flags, phases in BY_HAND:
            if chosen := {name: work for name, work in phases.items() if name in words}:
                lab.plane.start_operator(operator)
                stage(lab, report, flags, chosen, words)
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
        start = time.monotonic()
        try:
            work(lab, report, words[name])
            report.say(f"{name} took {time.monotonic() - start:.0f} s")
        except Exception as error:  # noqa: BLE001
            report.say(traceback.format_exc().replace("\n", "\n# "))
            report.check(f"{name} ran to its end", False, f"{type(error).__name__}: {error}")
    threads = [threading.Thread(target=guarded, args=each, daemon=True) for each in phases.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

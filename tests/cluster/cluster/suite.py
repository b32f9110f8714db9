"""What the program runs, in phases: operators have different words where another provider schedules gangs."""
import resource

from . import broken, examples, queue_of_gangs, table
from .lab import Lab, Report
from .operators import CONFIGURATIONS
from .parts import OPERATORS

# Gangs by Kueue need no word; Volcano's have to be switched on in the operators that make pods.
BY_VOLCANO = {"training-operator": ("--gang-scheduler-name=volcano",), "kuberay": ("--batch-scheduler=volcano",),
              "lws": ("--config", str(CONFIGURATIONS / "lws-volcano.yaml"))}


def run(parts, folder, muster, wanted):
    """The exit code. `wanted`: names of phases, each with a word after `:` to choose cases by; none: all."""
    report, lab = Report(), Lab(parts, folder, muster)
    chosen = [word.partition(":")[::2] for word in wanted] or [(name, "") for name in PHASES]
    try:
        lab.up(OPERATORS)
        report.say("up")
        for name, word in chosen:
            PHASES[name](lab, report, [word] if word else ())
    finally:
        lab.down()
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    report.say(f"{report.failed} failed; the largest process had {most} MiB")
    return 1 if report.failed else 0


def examples_on_kueue(lab, report, words):
    examples.run(lab, report, lab.muster, ("kueue", ""), words)


def by_volcano(lab):
    for name, flags in BY_VOLCANO.items():
        lab.plane.restart_operator(name, flags)


def examples_on_volcano(lab, report, words):
    by_volcano(lab)
    examples.run(lab, report, lab.muster, ("volcano",), words)


def gangs_on_kueue(lab, report, words):
    table.run(lab, report, ("kueue", "kueue-topology"), words)


def gangs_on_volcano(lab, report, words):
    by_volcano(lab)
    table.run(lab, report, ("volcano",), words)


def queues_on_kueue(lab, report, words):
    queue_of_gangs.run(lab, report, ("kueue", "kueue-topology"), words)


def queues_on_volcano(lab, report, words):
    by_volcano(lab)
    queue_of_gangs.run(lab, report, ("volcano",), words)


# In this order: Volcano's need operators with other words.
PHASES = {"broken": broken.run, "examples-kueue": examples_on_kueue, "gangs-kueue": gangs_on_kueue, "queues-kueue": queues_on_kueue,
          "examples-volcano": examples_on_volcano, "gangs-volcano": gangs_on_volcano, "queues-volcano": queues_on_volcano}

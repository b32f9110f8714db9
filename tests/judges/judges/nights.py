"""Nights on Slurm: every row of muster's table of failures that is Slurm's is executed, and a preempted job is requeued
whatever runs in it and however its program reacts to TERM."""
import os
import random
import sys
import time

from . import cases, lab, lib

sys.path.insert(0, str(lib.CHECKOUT / "tests/cluster"))
from cluster import failures  # noqa: E402

SEED = 1
# What a program does when it is told to end.
REACTIONS = {"ends with 0": ["wait", "exit=0"], "ends with 1": ["wait", "exit=1"], "ends with 143": ["wait", "exit=143"], "ignores it": ["deaf"]}
STOPS = ("", "stop { signal = TERM }", "stop { grace = 1m }", "stop { lead = 1m }", "stop { signal = USR1  lead = 1m }")
RETRIES = ("", "retry { limit = 3 }", "retry { limit = 3  on = [node-failure, preemption, failure] }", "retry { limit = unlimited }")
SIZE = "cpus = 2  memory = 100MiB"


def command(*words):
    return "command = [" + ", ".join(f'"{word}"' for word in words) + "]"


def script(line):
    return f"script = <<<bash\n  {line}\n>>>"


# What runs: a name, and the keys of a workload whose program has these words.
FORMS = {
    "command": lambda words: f"nodes = 1  {command('probe', *words)}",
    "command, 2 nodes": lambda words: f"nodes = 2  {command('probe', *words)}",
    "script with srun": lambda words: f"nodes = 1  {script('srun probe ' + ' '.join(words))}",
    "script, 2 nodes": lambda words: f"nodes = 2  {script('probe ' + ' '.join(words))}",
    "torchrun": lambda words: f"nodes = 1  launch {{ runner = torchrun }}  {command('train.py', *words)}",
    "torchrun, 2 nodes": lambda words: f"nodes = 2  launch {{ runner = torchrun }}  {command('train.py', *words)}",
    "torchrun in a script": lambda words: f"nodes = 2  launch {{ runner = torchrun }}  {script('torchrun train.py ' + ' '.join(words))}",
    "accelerate, 2 nodes": lambda words: f"nodes = 2  launch {{ runner = accelerate }}  {command('train.py', *words)}",
    "processes": lambda words: f"nodes = 1  launch {{ runner = processes  processes = 2 }}  {command('probe', *words)}",
    "processes, 2 nodes": lambda words: f"nodes = 2  launch {{ runner = processes  processes = 2 }}  {command('probe', *words)}",
    "mpi": lambda words: f"nodes = 1  launch {{ runner = mpi  processes = 2 }}  {command('probe', *words)}",
    "mpi, 2 nodes": lambda words: f"nodes = 2  launch {{ runner = mpi  processes = 2 }}  {command('probe', *words)}",
    "batch script": lambda words: f"nodes = 1  launch {{ runner = batch-script }}  {script('srun probe ' + ' '.join(words))}",
    "batch script, 2 nodes": lambda words: f"nodes = 2  launch {{ runner = batch-script }}  {script('srun probe ' + ' '.join(words))}",
    "ray, 2 nodes": lambda words: f"nodes = 2  launch {{ runner = ray }}  {command('probe', *words)}",
    "replicas": lambda words: f"nodes = 1  replicas = 2  gang = all  {command('probe', *words)}",
}
ONCE = ("command", "command, 2 nodes", "torchrun, 2 nodes", "batch script, 2 nodes")  # the forms of which each row of the table is executed


def workload(name, form, words, more, queue="main", limit="10m", gpus=1):
    return f"workload {name} {{\n  kind = train  time-limit = {limit}  queue = {queue}  gpu = h100:{gpus}  {SIZE}\n  {FORMS[form](words)}\n  {more}\n}}\n"


class Night:
    """A job under way."""

    def __init__(self, rooms, name, label, text):
        self.rooms, self.name, self.label, self.text, self.job, self.last = rooms, name, label, text, None, {}

    def submit(self, report):
        folder = self.rooms.bench.folder
        spec, site = folder / f"{self.name}.muster", folder / "night.site.muster"
        spec.write_text(cases.at_root(self.text, self.rooms.root))
        site.write_text(cases.site_text("plain", self.rooms.root, self.rooms.fleet))
        done = self.rooms.shop.ask("compile", spec, "--site", site, "--root", folder)
        if not report.check(f"{self.label}: compiles", done.returncode == 0, lib.says(done)):
            return None
        path = folder / f"{self.name}.sbatch"
        path.write_text(done.stdout)
        self.job = self.rooms.send(report, cases.Case(self.name, spec, "plain", {}), path)
        return self

    def programs(self):
        return [call for call in self.job.calls() if call["name"] != "ray"]

    def runs(self):
        return len({call["env"].get("SLURM_RESTART_COUNT", "0") for call in self.programs()})

    def restarts(self):
        return int(self.job.state().get("Restarts", "0"))

    def ended(self):
        return self.job.state().get("JobState") in lab.ENDED


def submitted(report, nights):
    """Those that run, once their programs wait."""
    nights = [night for night in nights if night.submit(report) and night.job]
    for night in nights:
        lib.until(night.programs, 90, 0.5)
    time.sleep(1)  # the handlers are set after the record is written
    return nights


def take_back(report, rooms):
    """A more important job takes every node for a moment."""
    path = rooms.bench.folder / "urgent.sbatch"
    path.write_text(f"#!/bin/bash\n#SBATCH --partition=gpu\n#SBATCH --nodes={rooms.fleet.nodes}\n#SBATCH --gpus-per-node=8\n#SBATCH --mem=1000\n#SBATCH --output=/dev/null\ntrue\n")
    urgent = rooms.cluster.submit(path)
    report.check("the urgent job ran", lib.until(lambda: rooms.cluster.job(urgent).get("JobState") in lab.ENDED, 90), rooms.cluster.job(urgent).get("JobState"))


# ---- preempted: every form and reaction ------------------------------------------------------

def variants():
    """Each form with each reaction; the stop and the retry of each are drawn."""
    drawn = random.Random(SEED)
    for number, (form, reaction) in enumerate((form, reaction) for form in FORMS for reaction in REACTIONS):
        stop, retry = drawn.choice(STOPS), drawn.choice(RETRIES[1:]) if number % 5 else ""
        yield number, form, reaction, stop, retry


def preempted(report, rooms):
    """Requeued where it may be, and never else."""
    nights = []
    for number, form, reaction, stop, retry in variants():
        night = Night(rooms, f"v{number}", f"preempted {form}, {reaction}, {stop or 'no stop'}, {retry or 'no retry'}", workload(f"v{number}", form, REACTIONS[reaction], f"{stop}  {retry}", "spare"))
        night.retried = bool(retry)
        nights.append(night)
    begun = submitted(report, nights)
    take_back(report, rooms)
    right = 0
    for night in begun:
        lib.until(lambda: night.restarts() or night.ended(), 10)
        seen = night.restarts()
        right += report.check(night.label, seen == night.retried, f"Restarts={seen} {night.job.state().get('JobState')} {night.job.output()[-200:]}")
    report.say(f"# preempted: {right} of {len(nights)} variants are as the table says")
    rooms.cluster.cancel(*(night.job.number for night in begun))


# ---- the table -------------------------------------------------------------------------------

WORDS = {"exits": ["exit=3"], "killed": ["die=9"], "node lost": ["wait-once", "exit=0"], "preempted": ["wait-once", "exit=1"], "time limit": ["deaf"], "cancelled": ["wait", "exit=0"]}


def cells(rooms, failure):
    for setting, keys in failures.SETTINGS.items():
        for number, form in enumerate(ONCE):
            name = f"{failure.replace(' ', '-')}-{setting}-{number}"
            # A job has its nodes to itself where one of them is lost: it loses only that one.
            text = workload(name, form, WORDS[failure], keys, "spare" if failure == "preempted" else "main",
                            "1m" if failure == "time limit" else "10m", 8 if failure == "node lost" else 1)
            night = Night(rooms, name, f"{failure}, {setting}, {form}", text)
            night.failure, night.setting = failure, setting
            yield night


def lose_nodes(report, rooms, nights):
    """The last node of each."""
    rooms.cluster.lose(sorted({rooms.cluster.hosts(night.job.state().get("NodeList"))[-1] for night in nights}))


def cancel(report, rooms, nights):
    for night in nights:
        rooms.cluster.run("scancel", str(night.job.number))


def finish(nights, seconds=240):
    """Until all have ended; a requeued one is started at once."""
    def is_over(night):
        if night.last.get("JobState") not in lab.ENDED:
            night.last = night.job.hurry()  # kept: the controller forgets a job some minutes after its end
        return night.last.get("JobState") in lab.ENDED
    lib.until(lambda: all([is_over(night) for night in nights]), seconds, 0.5)
    lib.until(lambda: all(call["code"] is not None for night in nights for call in night.job.calls()), lab.KILL_WAIT + 3, 0.5)


def end_of(night):
    state = night.last
    code, _, signal = state.get("ExitCode", "").partition(":")
    code = str(128 + int(signal)) if signal not in ("0", "") else code
    return f"FAILED, {code}" if state.get("JobState") == "FAILED" else state.get("JobState")


def judged(report, night):
    restarts, runs, ends = failures.of(night.failure, "slurm", night.setting)
    end, seen = end_of(night), night.runs()
    if "PREEMPTED" in ends[0]:
        ends = ["PREEMPTED", "FAILED, 1", "FAILED, 143"]  # the latter two where a program ended in the grace time
    restarted = "the job" if night.last.get("Restarts", "0") != "0" else "nothing"
    report.check(f"{night.label}: {restarts[0]} restarts", restarted in restarts, restarted)
    report.check(f"{night.label}: its program runs {runs[0]} times", str(seen) in runs, seen)
    report.check(f"{night.label}: it ends {' or '.join(ends)}", end in ends, f"{end} {night.last.get('Reason')} {night.job.output()[-300:]}")


def table(report, rooms):
    """The failures that touch no node, side by side; then those that take nodes away."""
    first = {failure: submitted(report, list(cells(rooms, failure))) for failure in ("time limit", "exits", "killed", "cancelled")}
    cancel(report, rooms, first["cancelled"])
    finish([night for nights in first.values() for night in nights])
    for nights in first.values():
        for night in nights:
            judged(report, night)
    for failure, happens in (("preempted", lambda *_: take_back(report, rooms)), ("node lost", lose_nodes)):
        nights = submitted(report, list(cells(rooms, failure)))
        happens(report, rooms, nights)
        finish(nights)
        for night in nights:
            judged(report, night)


def judge(report, shop):
    if not lib.sandbox_folder():
        return report.skip("sandbox", "nights", "no slurm-sandbox folder beside the checkout; MUSTER_SHARED names the folder that has it")
    rooms = lab.Lab(shop, ("--hosts",), "nights", cases.Fleet(24, 4, "night"))
    error = rooms.cluster.up()
    if not report.check("the nodes are up", not error, error):
        return None
    only = os.environ.get("MUSTER_NIGHTS", "preempted table").split()
    for scenario in (preempted, table):
        if scenario.__name__ in only:
            lib.guarded(report, scenario.__name__, scenario, rooms)
    return rooms.cluster.down()

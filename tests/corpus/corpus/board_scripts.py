"""Faults in job scripts, put to a real Slurm: what sbatch says, what the controller records, what happens on emulated nodes. The bodies are
other people's programs: only lines that work on paths, start `sleep` or wait are run. A proof is a function: what was seen, as text."""
import re
import subprocess
import time
import types

from judges import cases, lib, sandbox

from . import controller, needs, replay, running

LOG = re.compile(r"#SBATCH\s+(-J|-o|-e|--(job-name|output|error|requeue|open-mode))\b")


class Slurm:
    """A Slurm of this machine, or that of another Debian (`suite`): a controller that knows the names of the scripts, and four nodes that run jobs."""

    def __init__(self, place, texts, suite=None):
        settings = place.folder / "board.conf"
        settings.write_text(needs.Needs(texts).configuration())
        self.suite, self.folder = suite, place.folder / f"slurm-{suite or 'host'}"
        self.folder.mkdir()
        self.known = sandbox.Cluster(place, f"known-{suite}", cases.Fleet(1, 1, "zz"), suite, ("--topology", "none", "--conf", settings))
        self.nodes = sandbox.Cluster(place, f"nodes-{suite}", cases.Fleet(4, 2, "nodes"), suite, ("--mode", "run", "--cpus", "256"))

    def __enter__(self):
        for cluster in (self.known, self.nodes):
            if error := cluster.up():
                raise RuntimeError(f"no Slurm: {error[-2000:]}")
        self.known.run("scontrol", "update", "NodeName=zz1", "State=DOWN", "Reason=board")
        return self

    def __exit__(self, *_):
        self.nodes.down()
        self.known.down()

    def name(self):
        return f"Slurm {self.known.version()}"

    def seen(self, row, files):
        text = files[0].read_text()
        return PROOFS[row.proof](self, types.SimpleNamespace(name=files[0].name, text=lambda: text), row)

    def place(self, row):
        """A fresh folder to submit from."""
        folder = self.folder / f"{row.rule}-{row.line}"
        folder.mkdir()
        return folder

    def record(self, name, text, folder):
        """The fields of the job that the controller makes of this text, by name; or its refusal."""
        path = folder / name
        path.write_text(text)
        job = self.known.submit(path, cwd=folder)
        if not isinstance(job, int):
            return job
        found = sandbox.raw_fields(self.known.run("scontrol", "show", "job", str(job)).stdout)
        self.known.cancel(job)
        return found

    def run(self, lines, folder):
        """The log of a job with these lines, once it has ended, and its fields."""
        (folder / "job.sbatch").write_text("\n".join(["#!/bin/bash", *lines, ""]))
        job = self.nodes.submit(folder / "job.sbatch", cwd=folder)
        fields = lib.until(lambda: (now := self.nodes.job(job)).get("JobState") in running.OVER and now, 90, 0.3) or {}
        return "".join(log.read_text() for log in folder.glob("slurm-*.out")), fields


def suites():
    """None for this machine's Slurm, and the newer one where its Debian is there."""
    listed = subprocess.run([lib.sandbox_folder() / "in-version.sh", "--list"], capture_output=True, text=True, check=False).stdout
    return [None, *(line.split()[0] for line in listed.splitlines())]


def refused(slurm, script, row):
    said = slurm.record(script.name, script.text(), slurm.place(row))
    return "" if isinstance(said, dict) else controller.objection(said).replace("The first; line", "The first line").replace("; ", "\n")


def ignored(slurm, script, row):
    """The job as it is, and as it is with the line where sbatch reads it."""
    lines, folder = script.text().split("\n"), slurm.place(row)
    first = [lines[0], lines[row.line - 1], *lines[1:row.line - 1], *lines[row.line:]]
    name = row.expect.partition("=")[0]
    was, would = (slurm.record(script.name, "\n".join(each), folder)[name] for each in (lines, first))
    return f"{name}={was}\nwith the line above the first command: {name}={would}"


def recorded(slurm, script, row):
    """The field of the job that the row names."""
    name = row.expect.partition("=")[0]
    return f"{name}={slurm.record(script.name, script.text(), slurm.place(row))[name]}"


def own_folder(slurm, script, row):
    """The folder that the script takes for its own, and what is in it."""
    *lines, probe = replay.spool_script(script, row).strip().split("\n")[1:]
    log, _ = slurm.run([*lines, probe.replace("probe ", "echo ", 1), probe.replace("probe ", "ls ", 1)], slurm.place(row))
    return re.sub(r"^.*?/spool/", "…/spool/", log.strip())


def log_lines(text):
    return [line for line in text.split("\n") if LOG.match(line)]


def requeued(slurm, script, row):
    """What the log has of the first attempt once the second one runs."""
    folder, cluster = slurm.place(row), slurm.nodes
    (folder / "logs").mkdir()
    (folder / "job.sbatch").write_text("\n".join(["#!/bin/bash", *log_lines(script.text()), "echo attempt ${SLURM_RESTART_COUNT:-0}", "sleep 60", ""]))
    job = cluster.submit(folder / "job.sbatch", cwd=folder)

    def log():
        return "".join(path.read_text() for path in (folder / "logs").glob("*.out")).strip()
    lib.until(lambda: "attempt 0" in log(), 30)
    before = log()
    cluster.run("scontrol", "requeue", str(job))
    lib.until(lambda: cluster.job(job).get("Reason") == "BeginTime", 20)
    time.sleep(2)  # the first attempt is cleared away; a requeued job would wait two minutes
    lib.until(lambda: cluster.run("scontrol", "update", f"JobId={job}", "StartTime=now").returncode == 0 or "attempt 1" in log(), 40, 1)
    lib.until(lambda: "attempt 1" in log(), 40)
    after = log()
    cluster.cancel(job)
    return f"log of the first attempt: {before}\nlog after `scontrol requeue`: {after}"


def in_turn(slurm, script, row):
    """How long the steps of a loop take together."""
    lines = script.text().split("\n")
    first = max(number for number in range(row.line) if lines[number].lstrip().startswith("for "))
    last = next(number for number in range(row.line, len(lines)) if lines[number].strip() == "wait")
    body = lines[first:last + 1]
    if any("srun" in line and not re.search(r"srun [-\w\s]*\bsleep \d+ &$", line) for line in body):
        return ""  # nobody else's program is run
    log, fields = slurm.run([*replay.shape(script.text()), *body], slurm.place(row))
    waits = next((line for line in log.splitlines() if "step creation" in line), "")
    return f"{re.sub(r'Job [0-9]+ ', '', waits)}\nRunTime={fields.get('RunTime')}".strip()


PROOFS = {"sbatch-refuses": refused, "sbatch-ignores": ignored, "recorded": recorded, "own-folder": own_folder, "requeued": requeued, "in-turn": in_turn}

"""Emulated nodes that run jobs, with stubs for the programs and a record of every call."""
import json
import pathlib
import shutil
import sys
import threading
import time

from . import cases, lib, sandbox

STUBS = ("probe", "torchrun", "accelerate", "ray", "python", "python3", "lmp_mpi", "module", "conda", "mpirun", "apptainer", "enroot", "nvidia-smi", "all_reduce_perf")
KILL_WAIT = 5  # seconds the sandbox's Slurm leaves a program that was told to end
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "DEADLINE")


def one_value(calls, name):
    """The value of a variable that all calls had; else how many there were."""
    values = {call["env"].get(name) for call in calls}
    return values.pop() if len(values) == 1 else f"{len(values)} values {sorted(map(str, values))}"


class Job:
    """A submitted job and what its programs wrote down."""

    def __init__(self, lab, number, case, path):
        self.lab, self.number, self.case, self.path = lab, number, case, path
        self.requeued = {}

    @property
    def spec(self):
        return cases.at_root(cases.spec_text(self.case.spec), self.lab.root)

    def state(self):
        return self.lab.cluster.job(self.number)

    def calls(self, name=None, first=None):
        """Calls in the order of their start; of one program, or with this first argument."""
        paths = sorted((self.lab.root / "records" / str(self.number)).glob("*.json"))
        calls = [json.loads(path.read_text()) for path in paths]
        return [c for c in calls if (name is None or c["name"] == name) and (first is None or c["argv"][:1] == [first])]

    def points(self):
        """The calls of all tasks of an array: each is a job of its own."""
        calls = [json.loads(path.read_text()) for path in sorted((self.lab.root / "records").glob("*/*.json"))]
        return [call for call in calls if call["env"].get("SLURM_ARRAY_JOB_ID") == str(self.number)]

    def wait_calls(self, count, name=None, attempt=None, seconds=40):
        """The calls of one attempt, once there are so many."""
        def enough():
            calls = [c for c in self.calls(name) if attempt is None or c["env"].get("MUSTER_ATTEMPT") == str(attempt)]
            return calls if len(calls) >= count else None
        return lib.until(enough, seconds) or []

    def hurry(self):
        """A requeued job would wait two minutes; an operator may start it now, once the attempt before is cleared away."""
        now = self.state()
        if now.get("JobState") == "PENDING" and now.get("Reason") == "BeginTime":
            since = self.requeued.setdefault(now.get("Restarts"), time.monotonic())
            if time.monotonic() < since + 2:
                return now
            self.lab.cluster.run("scontrol", "update", f"JobId={self.number}", "StartTime=now")
        return now

    def end(self, seconds=150):
        """The fields of the job once it is over and its programs have written their last: Slurm may call a job
        ended while they still save."""
        def over():
            now = self.hurry()
            return now if now.get("JobState") in ENDED else None
        state = lib.until(over, seconds, 0.4) or self.state()
        lib.until(lambda: all(call["code"] is not None for call in self.calls()), KILL_WAIT + 3, 0.2)
        return state

    def scontrol(self, *words):
        return self.lab.cluster.run("scontrol", *words, str(self.number))

    def signal(self, name, *options):
        return self.lab.cluster.run("scancel", f"--signal={name}", *options, str(self.number))

    def output(self):
        path = pathlib.Path(self.state().get("StdOut", ""))
        return path.read_text(errors="replace") if path.is_file() else ""


class Lab:
    """The cluster, its shared folder with everything that the sites name, and its bench."""

    stubs = STUBS

    def __init__(self, shop, options=(), name="run", fleet=cases.Fleet(24, 4, "judge")):  # so many that no job waits for another
        self.shop = shop
        self.one_at_a_time = threading.Lock()
        self.fleet = fleet
        self.bench = cases.Bench(shop, name, self.fleet)
        self.root = self.bench.root
        self.cluster = sandbox.Cluster(shop, f"slurmds-{name}", self.fleet, options=("--mode", "run", *options))
        self.furnish()
        self.variables = {"PATH": f"{self.root / 'bin'}:{self.cluster.environment['PATH']}", "JUDGE_SCRATCH": str(self.root / "scratch"),
                          "JUDGE_OUTSIDE": "inherited", "HOME": str(self.root), **self.repository()}

    def furnish(self):
        for name in ("bin", "data/set one", "code/sub folder", "logs", "work/it's \"here\" #1", "scratch", "module files", "images",
                     "secret",
                     "conda/etc/profile.d", "env/torch/bin", "env/verl"):
            (self.root / name).mkdir(parents=True)
        stub = (lib.HERE / "stubs" / "record.py").read_text().replace("#!/usr/bin/env python3", f"#!{sys.executable} -IS", 1)
        for name in self.stubs:
            path = self.root / "bin" / name
            path.write_text(stub)
            path.chmod(0o755)
        (self.root / "env/torch/bin/activate").write_text(f'export VIRTUAL_ENV="{self.root}/env/torch"\n')
        (self.root / "conda/etc/profile.d/conda.sh").write_text('conda() { [ "$1" = activate ] && export CONDA_DEFAULT_ENV="$2"; }\n')
        (self.root / ".bash_profile").write_text(f'PATH="{self.root}/bin:$PATH"\n')
        (self.root / "images/torch.sqsh").write_text("")
        (self.root / "secret/hf token").write_text("s3cret $HOME\n")

    def repository(self):
        """A local repository that answers for the one in code-git; git itself is told so."""
        origin = self.shop.place("origin/lab/train.git")
        shutil.copy2(self.root / "bin" / "probe", origin / "start.sh")
        def git(*words):
            lib.run(["git", "-C", origin, "-c", "user.name=judge", "-c", "user.email=judge@localhost", *words])
        for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "start"), ("tag", "v1.0")):
            git(*words)
        (origin / "start.sh").write_text("#!/bin/sh\nexit 9\n")
        git("commit", "-qam", "a later one")
        return {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": f"url.file://{origin.parent.parent}/.insteadOf", "GIT_CONFIG_VALUE_0": "https://code.example.com/",
                "GIT_CONFIG_KEY_1": "safe.directory", "GIT_CONFIG_VALUE_1": "*"}

    def submit(self, report, name, site=None, edit=None, rewrite=None):
        """Compiles the case of this name and submits it; `rewrite` spoils the emitted text first."""
        case = next(c for c in cases.all_cases() if c.name == name and (site is None or c.site == site))
        with self.one_at_a_time:  # several scenarios use one case, and so one file
            path = self.bench.compile(report, case, edit=edit)
            if not path:
                return None
            if rewrite:
                path.write_text(rewrite(path.read_text()))
            return self.send(report, case, path)

    def send(self, report, case, path):
        job = self.cluster.submit(path, cwd=self.bench.folder, **self.variables)
        if not report.check(f"{case.label} sbatch", isinstance(job, int), job):
            return None
        return Job(self, job, case, path)

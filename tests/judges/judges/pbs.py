"""Job scripts of PBS: a reader of its grammar, bash and shellcheck, and what a script starts beside what the batch script
of Slurm for the same workload starts, on nodes that are played (`stubs/batch.py`)."""
import concurrent.futures
import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

from . import cases, lab, lib, pbs_grammar, sandbox, shell
from .pbs_grammar import Refused

STARTERS = ("srun", "scontrol", "squeue", "pbsdsh", "mpirun", "hostname", "getent")
SITES = ("example", "plain", "apptainer", "git", "gres")
# What PBS cannot do, by a part of the reason; every other refusal is a failure.
REFUSALS = (
    "does not divide a node among the programs", "starts a job again after a node failure or a preemption only", "does not append to the files",
    "has no option that excludes", "sends no signal before the end", "PBS cannot divide the nodes", "does not declare by which resource",
    "has no option for this", "to start the ranks of the NCCL test", "a chunk of PBS names one host", "is written by muster itself",
    "PBS has no srun", "is not an option of qsub", "is not a valid name of a resource", "PBS does not set the variables of Slurm",
    "does not support a backoff", "does not provide", "PBS_", "SLURM_", "MUSTER_ATTEMPT", "PBS keeps a whole job in one",
    "mpirun uses all nodes", "as only what PBS", "option", "needs a value", "is known only where the program runs", "fit")
# Run beside Slurm's: the point of a sweep, what programs are told to do, and the exit code of the job then.
RUNS = {"pretrain": {}, "mpi": {}, "finetune": {}, "sweep": {"point": 2}, "torchrun-script": {}, "torchrun-flags": {}, "accelerate": {},
        "processes": {}, "processes-uneven": {}, "none-script": {}, "none-python": {}, "hostile": {}, "setup": {}, "replicas": {},
        "roles-unlike": {}, "ray": {}, "software-every": {}, "mpirun": {}, "container": {}, "nodes-range": {}}
FAILS = {"setup": ("probe:exit=4", 4), "processes": ("python3:exit=5", 5), "mpi": ("lmp_mpi:exit=6", 6), "replicas": ("probe:exit=7", 7), "torchrun-script": ("torchrun:exit=8", 8)}
# Examples that sbatch reads, and their time limit as it prints it.
SBATCH = {"pretrain": "3-00:00:00", "mpi": "1-00:00:00", "grpo": "12:00:00"}
# Variables of the systems themselves, and those that say no more than how a process was started.
OF_SYSTEM = re.compile(r"(SLURM|SRUN_|SBATCH_|PBS_|OMPI_|GIT_CONFIG|JUDGE_).*|SLURMD_NODENAME|NCPUS|SHLVL|OLDPWD|PWD|_|HOSTNAME|MUSTER_ATTEMPT|MUSTER_CPUS|MUSTER_TMP|MUSTER_MEMORY_MB")


def as_pbs(text, torque=False):
    """The site with a PBS in the place of its Slurm."""
    kept = re.findall(r"(?:containers|scratch)\s*=\s*\S+", text)
    words = "  ".join(["kind = pbs", *(["dialect = torque"] if torque else []), *kept])
    return re.sub(r"plane batch\s*\{[^{}]*\}", f"plane batch {{ {words} }}", text)


def with_mpirun(text):
    return re.sub(r"mpi\s*=\s*\w+", "mpi = mpirun", text)


def own_cases():
    return [case for case in cases.all_cases() if case.site in SITES and not case.refused]


class Bench(cases.Bench):
    """Compiles a case for both systems, with nodes that are played."""

    folder_name, starters = "pbs", STARTERS

    def __init__(self, shop):
        super().__init__(shop, self.folder_name)
        self.stubs = lab.STUBS
        self.files_made = itertools.count()
        self.turn = threading.Lock()  # one case has one file of its site, for whichever system
        lab.Lab.furnish(self)
        batch = (lib.HERE / "stubs" / "batch.py").read_text().replace("#!/usr/bin/env python3", f"#!{sys.executable} -IS", 1)
        for name in self.starters:
            (self.root / "bin" / name).write_text(batch)
            (self.root / "bin" / name).chmod(0o755)

    def pbs(self, case, torque=False):
        with self.turn:
            done = self.ask("compile", case, "--target", "pbs", site_edit=lambda text: as_pbs(text, torque))
        path = self.folder / f"{case.label}.{next(self.files_made)}.pbs"  # another job may run such a file
        path.write_bytes(done.stdout.encode("utf-8", "surrogateescape"))
        return path if done.returncode == 0 else None, lib.says(done)

    def slurm(self, report, case):
        with self.turn:
            path = self.compile(report, case, "--target", "ray-on-slurm" if "runner = ray" in case.spec.read_text() else "slurm", site_edit=with_mpirun)
            return path.rename(self.folder / f"{case.label}.{next(self.files_made)}.sbatch") if path else None

    def environment(self, system, play):
        home = self.shop.place(f"{self.folder_name}/home-{system}")
        bin_folder = self.root / "bin"
        return {"PATH": f"{bin_folder}:/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "USER": "judge", "JUDGE_OUTSIDE": "inherited", "JUDGE_PLAY": play,
                "JUDGE_SCRATCH": str(self.root / "scratch"), "TMPDIR": str(self.shop.place(f"{self.folder_name}/tmp"))}

    def run_pbs(self, number, path, hosts, lines, point=None, torque=False, play=""):
        file = self.folder / f"nodefile-{number}"
        file.write_text("".join(f"{host}\n" * lines for host in hosts))
        own = {"PBS_JOBID": f"{number}[{point}].server" if point is not None else f"{number}.server", "PBS_JOBNAME": "job", "PBS_O_WORKDIR": str(self.folder), "PBS_NODENUM": "0",
               "PBS_TASKNUM": "1", "PBS_ENVIRONMENT": "PBS_BATCH", "PBS_NODEFILE": str(file), "NCPUS": "8", "HOSTNAME": hosts[0], "CUDA_VISIBLE_DEVICES": "0"}
        if point is not None:
            own["PBS_ARRAYID" if torque else "PBS_ARRAY_INDEX"] = str(point)
        env = self.environment("pbs", play) | own
        return self.ended(number, path, env, env["HOME"], own["PBS_JOBID"])

    def run_slurm(self, number, path, hosts, chunks, point):
        own = {"SLURM_JOB_ID": number, "SLURM_JOB_NODELIST": ",".join(hosts), "SLURM_NNODES": str(len(hosts)), "SLURM_JOB_NUM_NODES": str(len(hosts)), "SLURM_CPUS_ON_NODE": "8",
               "SLURMD_NODENAME": hosts[0], "SLURM_NODEID": "0", "SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURM_SUBMIT_DIR": str(self.folder), "HOSTNAME": hosts[0],
               "CUDA_VISIBLE_DEVICES": "0"}
        if point is not None:
            own |= {"SLURM_ARRAY_JOB_ID": number, "SLURM_ARRAY_TASK_ID": str(point)}
        for group, count in enumerate(chunks):
            before = sum(chunks[:group])
            own[f"SLURM_JOB_NODELIST_HET_GROUP_{group}"] = ",".join(hosts[before:before + count])
        env = self.environment("slurm", "") | own
        return self.ended(number, path, env, str(self.folder), number)

    def ended(self, number, path, env, folder, job):
        output = self.folder / f"output-{job}"
        with output.open("wb") as into:  # not a pipe, which what is left of the job would keep open
            job_shell = subprocess.Popen(["bash", str(path)], env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=into, stderr=into, start_new_session=True)
            try:
                code = job_shell.wait(240)  # of seconds: other judges have the cores too
            except subprocess.TimeoutExpired:
                code = 124
        with contextlib.suppress(ProcessLookupError):  # the end of a job is the end of all that it started
            os.killpg(job_shell.pid, signal.SIGTERM)
            time.sleep(1.2)
            os.killpg(job_shell.pid, signal.SIGKILL)
        job_shell.wait()
        done = subprocess.CompletedProcess([], code, output.read_text(errors="replace"), "")
        calls = [json.loads(file.read_text()) for file in sorted((self.root / "records" / job).glob("*.json"))]
        return done, sorted((self.shown(number, call) for call in calls), key=repr)

    @staticmethod
    def shown(number, call):
        """A call without what is the system's own: program, node, words, folder, environment."""
        def plain(text):
            for slurm, own in (("$SLURM_NODEID", "$PBS_NODENUM"), ("$SLURMD_NODENAME", "$(hostname)")):
                text = text.replace(slurm, own)
            text = re.sub(rf"{number}(\[\d+\])?\.server", number, text)
            return re.sub(r"home-(pbs|slurm)", "home", re.sub(rf"{number}\.\w{{6}}\b", "TMP", text))
        env = {name: plain(value) for name, value in call["env"].items() if not OF_SYSTEM.fullmatch(name)}
        node = call["env"].get("HOSTNAME")
        return call["name"], node, [plain(word) for word in call["argv"]], plain(call["cwd"]), env


def option(options, letter):
    return next((value for name, value in options if name == letter), None)


def size_of(options):
    """The nodes of each chunk, and the lines of the file of nodes for each."""
    for letter, value in options:
        if letter == "l" and value.startswith("select="):
            chunks = pbs_grammar.chunks(value[7:])
            return [count for count, _ in chunks], int(chunks[0][1].get("mpiprocs", 1))
        if letter == "l" and value.startswith("nodes="):
            chunks = pbs_grammar.nodes(value[6:])
            return [count for count, _ in chunks], int(chunks[0][1].get("ppn", 1))
    return [1], 1


def known_values(report):
    """Values that a PBS server takes and refuses, as its own verifier said."""
    folder = (lib.sandbox_folder() or lib.CHECKOUT / "absent").parent / "judges/pbs"
    if os.environ.get("MUSTER_SHARED"):
        folder = lib.pathlib.Path(os.environ["MUSTER_SHARED"]) / "judges/pbs"
    if not folder.is_dir():
        return report.skip("pbs", "values of a PBS server", f"{folder} is not there")
    for name, good in (("good", True), ("bad", False)):
        for line in filter(None, (folder / f"{name}.args").read_text().split("\n")):
            attribute, _, value = line.partition("=")
            report.check(f"{line} is {'taken' if good else 'refused'}", takes(pbs_grammar.check_value, attribute, value) == good)
    return True


def takes(reader, *what):
    try:
        reader(*what)
        return True
    except Refused:
        return False


def reads(report, label, path, torque=False):
    try:
        options = pbs_grammar.read(path.read_text(errors="surrogateescape"), torque)
    except Refused as why:
        report.check(f"{label} qsub takes it", False, why)
        return None
    report.check(f"{label} qsub takes it", options)
    return options


def hosts_of(path, torque=False):
    chunks, lines = size_of(pbs_grammar.read(path.read_text(errors="surrogateescape"), torque))
    return chunks, [f"n{number:02d}" for number in range(1, sum(chunks) + 1)], lines


def judge_run(bench, number, case, point=None, torque=False):
    report, label = lib.Lines(), f"{case.label}{' torque' if torque else ''}"
    path, says = bench.pbs(case, torque)
    theirs = bench.slurm(report, case)
    if not path or not theirs:
        report.check(f"{label} runs on both", False, says)
        return report
    chunks, hosts, lines = hosts_of(path, torque)
    theirs_ended, wanted = bench.run_slurm(number, theirs, hosts, chunks, point)
    ended, calls = bench.run_pbs(number, path, hosts, lines, point, torque)
    report.check(f"{label} ends well, as on Slurm", ended.returncode == theirs_ended.returncode == 0,
                 f"{ended.returncode} {lib.says(ended)[-300:]}; Slurm {theirs_ended.returncode} {lib.says(theirs_ended)[-300:]}")
    report.check(f"{label} starts what Slurm's script starts", calls and calls == wanted, difference(calls, wanted))
    return report


def judge_failure(bench, number, case, play, code):
    """pbsdsh ends with 0, whatever its tasks do; the job does not."""
    report = lib.Lines()
    path, says = bench.pbs(case)
    if not path:
        report.check(f"{case.label} fails", False, says)
        return report
    _, hosts, lines = hosts_of(path)
    ended, _ = bench.run_pbs(number, path, hosts, lines, play=play)
    report.check(f"{case.label} ends with the {code} of its program", ended.returncode == code, f"{ended.returncode} {lib.says(ended)[-300:]}")
    return report


def difference(calls, wanted):
    if len(calls) != len(wanted):
        return f"{len(calls)} calls, {len(wanted)} on Slurm: {[call[:3] for call in calls][:4]} and {[call[:3] for call in wanted][:4]}"
    for call, want in zip(calls, wanted):
        if call[:4] != want[:4]:
            words = [(got, wanted) for got, wanted in zip(call[2], want[2]) if got != wanted]
            return f"{call[0]} on {call[1]} in {call[3]}, {want[0]} on {want[1]} in {want[3]}; words {words}"
        if call[4] != want[4]:
            return {name: (call[4].get(name), want[4].get(name)) for name in call[4].keys() | want[4].keys() if call[4].get(name) != want[4].get(name)}
    return ""


def sbatch_reads(report, shop, bench):
    """sbatch obeys `#PBS` lines: nodes, CPUs, memory and time; it drops GPUs, and takes much that PBS does not."""
    if not lib.sandbox_folder():
        return report.skip("slurm", "sbatch reads PBS", "there is no sandbox")
    cluster = sandbox.Cluster(shop, "slurm-pbs", bench.fleet)
    error = cluster.up()
    if not report.check("a controller for PBS scripts", not error, error):
        return False
    for case in cases.example_cases():
        if case.name not in SBATCH:
            continue
        path, _ = bench.pbs(case)
        chunks, _ = size_of(pbs_grammar.read(path.read_text()))
        own = pbs_grammar.chunks(option(pbs_grammar.read(path.read_text()), "l")[len("select="):])[0][1]
        number = cluster.submit(path, "--hold")
        job = cluster.job(number) if isinstance(number, int) else {}
        memory = {"gb": 1024, "mb": 1}[own["mem"][-2:]] * int(own["mem"][:-2])
        wanted = {"NumNodes": str(sum(chunks)), "NumCPUs": str(sum(chunks) * int(own["ncpus"])), "MinMemoryNode": f"{memory}M", "TimeLimit": SBATCH[case.name]}
        report.equal(f"{case.name} as sbatch reads it", {name: job.get(name) for name in wanted}, wanted)
    return True


def judge_file(bench, case, torque):
    """Whether qsub, bash and shellcheck take the file; its lines are kept, for another is judged meanwhile."""
    report, label = lib.Lines(), f"{case.label}{' torque' if torque else ''}"
    path, says = bench.pbs(case, torque)
    if not path:
        report.check(f"{label} is refused with a reason of PBS", any(reason in says for reason in REFUSALS), says)
    elif reads(report, label, path, torque) and not torque:
        severity = cases.header(case.spec.read_text(), "shellcheck") or ["style"]
        shell.reads(report, label, path, severity[0])
    return report


def judge(report, shop):
    known_values(report)
    bench = Bench(shop)
    sbatch_reads(report, shop, bench)
    files = [(bench, case, False) for case in own_cases()] + [(bench, case, True) for case in own_cases() if case.name in RUNS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda one: judge_file(*one), files):
            report.take(found)
    runs = []
    for case in own_cases():
        if case.name in RUNS:
            runs.append((judge_run, case, RUNS[case.name]))
        if case.name in FAILS:
            runs.append((judge_failure, case, dict(zip(("play", "code"), FAILS[case.name]))))
        if case.name in ("pretrain", "processes", "replicas", "sweep"):
            runs.append((judge_run, case, RUNS[case.name] | {"torque": True}))
    with concurrent.futures.ThreadPoolExecutor(6) as pool:  # most of the time they wait
        for found in pool.map(lambda run: run[1][0](bench, str(4200 + run[0]), run[1][1], **run[1][2]), enumerate(runs)):
            report.take(found)
    left = list(bench.root.glob("**/.tasks*")) + list(bench.folder.glob(".tasks*"))
    report.check("no job leaves a folder of its tasks", not left, left)
    for path in lib.broken_files("pbs", ".pbs"):
        lib.must_reject(report, path, lambda inner, path=path: reads(inner, path.name, path, ".torque" in path.name))

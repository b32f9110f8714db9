"""Job scripts of LSF: a reader of bsub's grammar, bash and shellcheck, and what a script starts beside what the batch script
of Slurm for the same workload starts, on hosts that are played (`stubs/batch.py`)."""
import concurrent.futures
import itertools
import re

from . import cases, lib, lsf_grammar, pbs, shell
from .pbs_grammar import Refused

# What LSF cannot do, by a part of the reason; every other refusal is a failure.
REFUSALS = (
    "does not divide a node among the programs", "starts a job again after a node failure", "restarts a job after its exit code", "roles of different shapes",
    "has no option that excludes", "to all processes of a job", "into segments", "does not declare the type of compute unit", "has no option for this",
    "to start the ranks of the NCCL test", "is written by muster itself", "LSF has no srun", "is not an option of bsub", "LSF_", "LSB_", "SLURM_", "MUSTER_ATTEMPT",
    "does not support a backoff", "does not provide", "LSF keeps a whole job in one", "mpirun uses all nodes", "LSF takes priorities", "LSF sends the mail", "LSF gives a job",
    "is not a name that LSF takes", "is not a valid name of a resource", "wherever it is in the file", "option", "needs a value", "is known only where the program runs", "fit")
# Run beside Slurm's: the point of a sweep, what programs are told to do, and the exit code of the job then.
RUNS = pbs.RUNS.keys() - {"roles-unlike"}
FAILS = pbs.FAILS
OF_SYSTEM = re.compile(pbs.OF_SYSTEM.pattern + r"|LS[BF]?_.*|node_rank")


def as_lsf(text):
    """The site with an LSF in the place of its Slurm."""
    kept = re.findall(r"(?:containers|scratch)\s*=\s*\S+", text)
    return re.sub(r"plane batch\s*\{[^{}]*\}", f"plane batch {{ {'  '.join(['kind = lsf', *kept])} }}", text)


class Bench(pbs.Bench):
    """Compiles a case for both systems, with hosts that are played."""

    folder_name, starters = "lsf", (*pbs.STARTERS, "blaunch")

    def lsf(self, case):
        with self.turn:
            done = self.ask("compile", case, "--target", "lsf", site_edit=as_lsf)
        path = self.folder / f"{case.label}.{next(self.files_made)}.lsf"
        path.write_bytes(done.stdout.encode("utf-8", "surrogateescape"))
        return path if done.returncode == 0 else None, lib.says(done)

    def run_lsf(self, number, path, hosts, slots, index=0, play=""):
        job = f"1{number}"  # Slurm's has the number itself, and both the same port
        file = self.folder / f"hostfile-{number}"
        file.write_text("".join(f"{host}\n" * slots for host in hosts))
        own = {"LSB_JOBID": job, "LSB_JOBINDEX": str(index), "LSB_JOBNAME": "job", "LS_SUBCWD": str(self.folder), "LSB_SUB_HOST": "login", "LSB_DJOB_HOSTFILE": str(file),
               "LSB_DJOB_NUMPROC": str(slots * len(hosts)), "HOSTNAME": hosts[0], "CUDA_VISIBLE_DEVICES": "0"}
        env = self.environment("lsf", play) | own
        return self.ended(number, path, env, str(self.folder), job)

    @classmethod
    def shown(cls, number, call):
        """A call without what is the system's own."""
        name, node, argv, cwd, env = super().shown(number, call)
        def plain(text):
            text = re.sub(rf"\b1{number}(\.\d+)?(\.\w{{6}})?\b", lambda found: "TMP" if found.group(2) else number, text)
            text = text.replace("1TMP", "TMP")
            for own in ("$node_rank", "$((OMPI_COMM_WORLD_RANK / OMPI_COMM_WORLD_LOCAL_SIZE))"):
                text = text.replace(own, "$PBS_NODENUM")
            return text.replace("home-lsf", "home")
        return name, node, [plain(word) for word in argv], plain(cwd), {key: plain(value) for key, value in env.items() if not OF_SYSTEM.fullmatch(key)}


def reads(report, label, path):
    try:
        options = lsf_grammar.read(path.read_text(errors="surrogateescape"))
        lsf_grammar.size_of(options)
    except Refused as why:
        report.check(f"{label} bsub takes it", False, why)
        return False
    return report.check(f"{label} bsub takes it", options)


def job_of(path):
    """Its hosts, the slots of each, and the indices of its tasks."""
    options = lsf_grammar.read(path.read_text(errors="surrogateescape"))
    nodes, slots = lsf_grammar.size_of(options)
    ids = lsf_grammar.array(next(value for name, value in options if name == "J"))[1]
    return [f"n{number:02d}" for number in range(1, nodes + 1)], slots, ids


def judge_run(bench, number, case):
    report, label = lib.Lines(), case.label
    path, says = bench.lsf(case)
    theirs = bench.slurm(report, case)
    if not path or not theirs:
        report.check(f"{label} runs on both", False, says)
        return report
    hosts, slots, ids = job_of(path)
    point = pbs.RUNS[case.name].get("point")
    theirs_ended, wanted = bench.run_slurm(number, theirs, hosts, [len(hosts)], point)
    ended, calls = bench.run_lsf(number, path, hosts, slots, ids[point] if point is not None else 0)
    report.check(f"{label} ends well, as on Slurm", ended.returncode == theirs_ended.returncode == 0,
                 f"{ended.returncode} {lib.says(ended)[-300:]}; Slurm {theirs_ended.returncode} {lib.says(theirs_ended)[-300:]}")
    report.check(f"{label} starts what Slurm's script starts", calls and calls == wanted, pbs.difference(calls, wanted))
    return report


def judge_failure(bench, number, case):
    """The exit code of the first task that fails is that of the job."""
    report = lib.Lines()
    play, code = FAILS[case.name]
    path, says = bench.lsf(case)
    if not path:
        report.check(f"{case.label} fails", False, says)
        return report
    hosts, slots, _ = job_of(path)
    ended, _ = bench.run_lsf(number, path, hosts, slots, play=play)
    report.check(f"{case.label} ends with the {code} of its program", ended.returncode == code, f"{ended.returncode} {lib.says(ended)[-300:]}")
    return report


def judge_file(bench, case):
    """Whether bsub, bash and shellcheck take the file; its lines are kept, for another is judged meanwhile."""
    report, label = lib.Lines(), case.label
    path, says = bench.lsf(case)
    if not path:
        report.check(f"{label} is refused with a reason of LSF", any(reason in says for reason in REFUSALS), says)
    elif reads(report, label, path):
        severity = cases.header(case.spec.read_text(), "shellcheck") or ["style"]
        shell.reads(report, label, path, severity[0])
    return report


def judge(report, shop):
    bench = Bench(shop)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda case: judge_file(bench, case), pbs.own_cases()):
            report.take(found)
    runs = []
    for case in pbs.own_cases():
        if case.name in RUNS:
            runs.append((judge_run, case))
        if case.name in FAILS:
            runs.append((judge_failure, case))
    with concurrent.futures.ThreadPoolExecutor(6) as pool:  # most of the time they wait
        for found in pool.map(lambda run: run[1][0](bench, str(5200 + run[0]), run[1][1]), enumerate(runs)):
            report.take(found)
    for path in lib.broken_files("lsf", ".lsf"):
        lib.must_reject(report, path, lambda inner, path=path: reads(inner, path.name, path))

"""What each launcher is told: how many processes, which one is which, and where they meet."""
import re

from . import cases, lib
from .lab import one_value


def torch_option(word):
    """(option, value) of a setting that muster tells torchrun; nothing of any other word."""
    found = re.fullmatch(r"--(standalone|nnodes|nproc_per_node|rdzv_\w+)(?:=(.*))?", word)
    return (found[1], found[2] or "1") if found else None


def torch_words(calls):
    """The calls without what muster tells torchrun in front of the user's own words."""
    def own(argv):
        while argv and torch_option(argv[0]):
            argv = argv[1:]
        return argv
    return [{**call, "argv": own(call["argv"])} for call in calls]


def torch_told(call):
    """What torchrun is told: by options, or by variables where a script calls it."""
    told = {name[4:].lower(): value for name, value in call["env"].items() if name.startswith("PET_")}
    return told | dict(filter(None, map(torch_option, call["argv"])))


def torch_names(report, label, job, hosts, calls, procs):
    """How many processes, and where they meet: the same on all nodes."""
    want = {"nproc_per_node": str(procs)}
    if len(hosts) == 1:
        want["standalone"] = "1"
    else:
        port = 10000 + 10 * (job.number % 2000)
        want |= {"nnodes": str(len(hosts)), "rdzv_backend": "c10d", "rdzv_id": str(job.number), "rdzv_endpoint": f"{hosts[0]}:{port}"}
    wrong = [torch_told(call) for call in calls if torch_told(call) != want]
    report.check(f"{label} rendezvous", calls and not wrong, f"got {lib.shown(wrong[:1])}, want {want}")


def accelerate_words(report, job, hosts, calls, procs):
    """Settings in any order, then the flags and the program as written."""
    program = [*cases.texts(job.spec, "args"), *cases.texts(job.spec, "command")]
    for rank, call in enumerate(sorted(calls, key=lambda call: call["env"].get("SLURMD_NODENAME", ""))):
        head, tail = call["argv"][1:-len(program)], call["argv"][-len(program):]
        want = {"--num_machines": str(len(hosts)), "--num_processes": str(procs * len(hosts))}
        if len(hosts) > 1:
            want |= {"--machine_rank": str(rank), "--main_process_ip": hosts[0], "--main_process_port": call["env"].get("MUSTER_PORT")}
        report.equal(f"{job.case.label} settings of node {rank}", dict(zip(head[::2], head[1::2])), want)
        report.equal(f"{job.case.label} program of node {rank}", [call["argv"][0], *tail], ["launch", *program])


def ranked(report, label, hosts, calls, procs):
    """RANK 0 to n-1, each once, in the order of the nodes; the rest alike on all."""
    got = sorted((int(c["env"].get("RANK", -1)), int(c["env"].get("LOCAL_RANK", -1)), c["env"].get("SLURMD_NODENAME")) for c in calls)
    report.equal(f"{label} RANK and LOCAL_RANK", got, [(n * procs + p, p, host) for n, host in enumerate(hosts) for p in range(procs)])
    want = (str(procs * len(hosts)), hosts[0] if hosts else None, one_value(calls, "MUSTER_PORT"))
    report.equal(f"{label} WORLD_SIZE MASTER_ADDR MASTER_PORT", tuple(one_value(calls, n) for n in ("WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")), want)

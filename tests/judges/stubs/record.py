#!/usr/bin/env python3
"""Stands in for torchrun, ray, a trainer and others: writes down how it was called, then does as it is told.

The judge copies it under each name into BIN and puts BIN on the PATH. One JSON file a call goes to
BIN/../records/JOB; bytes are kept as Latin-1 characters. Words among the arguments say what to do,
and those of the variable JUDGE_PLAY, which are for one program where they begin with `NAME:`.
  exit=N              end with N                     exit-by-attempt=A,B,…   with A at the first attempt, …
  wait                until a signal, then save and end    deaf              until killed
  wait-once           the same in the first attempt; a later one ends well         die=N    by the signal N
  only-node=R         the rest is for node R only          others-wait       and the others wait
  together            goes on when all tasks of its step have begun
  print               a line that says which task of which attempt this is
  listen              at MASTER_PORT where the first process runs, 98 where another program does
  save=S              torchrun: its worker needs S seconds to save after a signal
  late=S              ray: no status in the first S seconds
"""
import collections
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

BIN = pathlib.Path(__file__).parent.absolute()
NAME = pathlib.Path(__file__).name
JOB = os.environ.get("SLURM_JOB_ID") or os.environ.get("PBS_JOBID") or os.environ.get("LSB_JOBID", "none")
ORDERS = [*sys.argv[1:], *(word.removeprefix(f"{NAME}:") for word in os.environ.get("JUDGE_PLAY", "").split())]
OPEN = []  # sockets
# What a worker of torchrun does: at a signal it saves, which takes it some seconds, and ends.
WORKER = """
import signal, sys, time
ends = []
signal.signal(signal.SIGTERM, lambda *_: ends.append(time.monotonic() + float(sys.argv[1])))
while not ends or time.monotonic() < ends[0]: time.sleep(0.05)
"""


def latin(value):
    return os.fsencode(value).decode("latin-1")


def write(path, content):
    path.with_suffix(".part").write_text(json.dumps(content))
    path.with_suffix(".part").rename(path)


class Record:
    def __init__(self):
        folder = BIN.parent / "records" / JOB
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{time.time_ns()}-{os.getpid()}.json"
        parent = pathlib.Path(f"/proc/{os.getppid()}/cmdline").read_bytes().split(b"\0")[:-1]
        self.content = {
            "name": NAME, "argv": [latin(word) for word in sys.argv[1:]], "parent": [word.decode("latin-1") for word in parent],
            "env": {latin(k): latin(v) for k, v in os.environ.items()}, "cwd": latin(os.getcwd()), "begin": time.time(),
            "cpus": len(os.sched_getaffinity(0)), "signals": [], "code": None,
        }
        write(self.path, self.content)

    def end(self, code):
        self.content.update(code=code, end=time.time())
        write(self.path, self.content)
        sys.exit(code)


def words(prefix):
    return [word[len(prefix):] for word in ORDERS if word.startswith(prefix)]


def wait_for_signal(record, deaf=False):
    seen = []
    def note(number, _):
        record.content["signals"].append(signal.Signals(number).name)
        seen.append(number)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, note)
    while deaf or not seen:
        time.sleep(0.05)
    time.sleep(0.3)  # saving takes a while; another signal meanwhile is written down too


def play(record):
    node = os.environ.get("SLURM_NODEID", "0")
    mine = not words("only-node=") or node in words("only-node=")
    if not mine:
        if "others-wait" in ORDERS:
            wait_for_signal(record)
        return 0
    if "together" in ORDERS:
        until_all_began()
    if "print" in ORDERS:
        print("task {SLURM_ARRAY_TASK_ID} node {SLURM_NODEID} attempt {SLURM_RESTART_COUNT}".format_map(collections.defaultdict(lambda: "0", os.environ)), flush=True)
    if "listen" in ORDERS and os.environ.get("SLURM_PROCID") == "0" and not listens():
        return 98
    if "wait-once" in ORDERS:
        if os.environ.get("SLURM_RESTART_COUNT", "0") != "0":
            return 0
        wait_for_signal(record)
    if words("die="):
        os.kill(os.getpid(), int(words("die=")[0]))
    if "wait" in ORDERS or "deaf" in ORDERS:
        wait_for_signal(record, "deaf" in ORDERS)
    if words("exit-by-attempt="):
        codes = words("exit-by-attempt=")[0].split(",")
        return int(codes[min(int(os.environ["MUSTER_ATTEMPT"]), len(codes) - 1)])
    return int((words("exit=") or ["0"])[0])


def until_all_began():
    """A task that fails at once may end the others before they begin."""
    step, tasks = os.environ["SLURM_STEP_ID"], int(os.environ["SLURM_STEP_NUM_TASKS"])
    for _ in range(600):
        began = [json.loads(file.read_text() or "{}") for file in (BIN.parent / "records" / JOB).glob("*.json")]
        if sum(call.get("env", {}).get("SLURM_STEP_ID") == step for call in began) >= tasks:
            return
        time.sleep(0.05)


def listens():
    """Whether MASTER_PORT was free; then it is taken until the program ends."""
    OPEN.append(socket.socket())
    try:
        OPEN[0].bind(("127.0.0.1", int(os.environ["MASTER_PORT"])))
    except OSError:
        return False
    OPEN[0].listen()
    return True


# ---- programs that do a little of what the real ones do --------------------------------------

def ray(record):
    """`ray start` stays until it is told to end; `ray status` lists the nodes that started."""
    if sys.argv[1:2] == ["start"]:
        wait_for_signal(record)
    if sys.argv[1:2] == ["status"]:
        calls = [json.loads(p.read_text()) for p in record.path.parent.glob("*.json")]
        first = min(call["begin"] for call in calls if call["name"] == "ray" and call["argv"][:1] == ["status"])
        if record.content["begin"] < first + float((words("late=") or ["0"])[0]):
            return 1
        alive = [call for call in calls if call["name"] == "ray" and call["argv"][:1] == ["start"] and call["code"] is None]
        print("Node status\n" + "-" * 63 + "\nActive:")
        for number in range(len(alive)):
            print(f" 1 node_{number:056x}")
    return 0


def torchrun(record):
    """With `save`: a worker, which a signal reaches by way of torchrun; the worker that has not ended in time is killed.
    Ten of torchrun's seconds are one of these."""
    if not words("save="):
        return play(record)
    worker = subprocess.Popen([sys.executable, "-ISc", WORKER, words("save=")[0]])
    wait_for_signal(record)
    worker.terminate()
    try:
        worker.wait(int(os.environ.get("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "30")) / 10)
    except subprocess.TimeoutExpired:
        worker.kill()
    record.content["saved"] = worker.wait() == 0
    return 0


def hostname(_):
    """That of the node, which all nodes of this machine would share."""
    print(os.environ.get("SLURMD_NODENAME", "login"))
    return 0


def conda(_):
    print(BIN.parent / "conda")
    return 0


def python3(_):
    """Python itself where it is given a program text."""
    if "-c" in sys.argv[1:2] or pathlib.Path((sys.argv + [""])[1]).exists():
        os.execv(sys.executable, ["python3", *sys.argv[1:]])
    return play(_)


def mpirun(_):
    """`mpirun -np N --map-by ppr:P:node … PROGRAM` by way of srun, as Open MPI does inside an allocation."""
    rest = sys.argv[1:]
    total, per_node = rest[rest.index("-np") + 1], rest[rest.index("--map-by") + 1].split(":")[1]
    program = rest[rest.index("sh"):]
    return subprocess.call(["srun", f"--ntasks={total}", f"--ntasks-per-node={per_node}", "--overlap", *program])


def apptainer(_):
    """`apptainer exec [options] IMAGE PROGRAM…`, without a container."""
    rest = sys.argv[2:]
    while rest[0].startswith("-"):
        rest = rest[1:] if rest[0] in ("--nv", "--rocm") else rest[2:]
    os.execvp(rest[1], rest[1:])


def enroot(_):
    """`enroot start [options] IMAGE PROGRAM…`: only the variables that are named get in."""
    rest, passed = sys.argv[2:], {"PATH": os.environ["PATH"]}
    while rest[0].startswith("-"):
        option, equals, value = rest[0].partition("=")
        if not equals and option != "--rw":
            value, rest = rest[1], rest[1:]
        if option == "--env" and value in os.environ:
            passed[value] = os.environ[value]
        rest = rest[1:]
    os.execvpe(rest[1], rest[1:], passed)


def nvidia_smi(_):
    """`nvidia-smi -L`: the GPUs that Slurm gave the step."""
    for number in filter(None, os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")):
        print(f"GPU {number}: H100", flush=True)
    return 0


def main():
    record = Record()
    special = {"ray": ray, "torchrun": torchrun, "hostname": hostname, "conda": conda,
               "python3": python3, "mpirun": mpirun, "apptainer": apptainer, "enroot": enroot, "nvidia-smi": nvidia_smi}
    record.end(special.get(NAME, play)(record))


main()

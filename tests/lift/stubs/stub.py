#!/.real/python/bin/python3 -IS
"""Every program of a job: writes down how it was called, and ends. Launchers start their processes (launchers.py)."""
import os
import sys
import time

LOG = "/.rec/log"
NOISE = frozenset(("nvidia-smi nvcc hostname squeue sinfo sacct sacctmgr seff sstat sprio scontrol dcgmi rocm-smi uname free top ps df du lscpu lsb_release "
                   "ulimit whoami id uptime numastat ifconfig ip ibstat ibv_devinfo lspci nproc w who groups locale tput clear stty").split())
LAUNCHERS = frozenset(("torchrun accelerate deepspeed mpirun mpiexec mpiexec.hydra orterun ray singularity apptainer docker podman shifter sarus "
                       "enroot charliecloud numactl taskset unbuffer catchsegv stdbuf time srun scontrol hostname date mktemp shuf nvidia-smi python "
                       "python3 python2 conda mamba micromamba sbatch nproc whoami id su uuidgen call torch-distributed colossalai horovodrun xvfb-run "
                       "lspci ibrun jsrun aprun mpiexec_mpt").split())
TAKING = frozenset("rm rmdir unlink shred truncate mv cp rsync find dd git sudo".split())  # deletes.py says what


def called():
    """The program as the script names it: without the folder where PATH finds it."""
    folder, _, name = sys.argv[0].rpartition("/")
    return name if folder == "/usr/local/bin" else sys.argv[0]


def standard_input():
    """A digest of what waits there, without taking it away: a loop around the program may read it, too."""
    try:
        kind = os.fstat(0).st_mode & 0o170000
        if kind == 0o100000:
            with open("/proc/self/fd/0", "rb") as file:
                file.seek(os.lseek(0, 0, os.SEEK_CUR))
                return digest(file.read())
        if kind != 0o010000 or os.environ.get("STUB_STDIN") == "none":
            return ""
        import ctypes
        import select
        poll = select.poll()
        poll.register(0, 0)
        ended = bool(poll.poll(2000))
        reader, writer = os.pipe()
        count = ctypes.CDLL(None).tee(0, writer, 1 << 16, 2)
        return digest(os.read(reader, count)) if ended and count > 0 else "" if ended else "open"
    except OSError:
        return ""


def digest(data):
    import _md5
    return _md5.md5(data).hexdigest()[:8] if data else ""


def processes():
    """This process and those above it: a script may use the number of its shell, in whose place a last command runs."""
    out, process = [os.getpid()], os.getppid()
    while process > 1 and len(out) < 7:
        out.append(process)
        try:
            with open(f"/proc/{process}/stat", encoding="latin-1") as file:
                process = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            break
    return out


def record(name, words, kind="leaf", env=None, begin=None, stdin=None, group=0):
    """One line of the log. The processes of a launcher give their own environment."""
    begin = begin or time.monotonic_ns()
    line = {"n": name, "a": list(words), "k": kind, "c": os.getcwd(), "e": dict(os.environ if env is None else env),
            "i": standard_input() if stdin is None else stdin, "b": begin, "p": processes(), "g": group, "d": taken(name, words)}
    line["t"] = time.monotonic_ns()
    out = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    os.write(out, (ascii(line) + "\n").encode())
    os.close(out)


def taken(name, words):
    """What the program would take away, which it does not do here."""
    if "/.judge" not in sys.path:
        sys.path.insert(0, "/.judge")
    import deletes
    return deletes.effects(name.rpartition("/")[2], words)


def leaf(name, words, **more):
    """Records a program and returns its exit code."""
    kind = "noise" if name.rpartition("/")[2] in NOISE else "leaf"
    record(name, words, kind, **more)
    if kind != "leaf" or not os.path.exists("/.rec/failing"):
        return 0
    if int(os.environ.get("SLURM_STEP_NUM_TASKS", "1") or 1) > 1:
        time.sleep(0.7)  # the tasks beside it, which end with it, have begun then
    return 3


def main():
    name, words = called(), sys.argv[1:]
    base = name.rpartition("/")[2]
    if base == "call":  # of a file with this program's name, or of a command that was not found
        name, words = words[0], words[1:]
        base = name.rpartition("/")[2]
    if base in LAUNCHERS or base.startswith("python"):
        sys.path.insert(0, "/.judge")
        import launchers
        return launchers.start(base, name, words)
    return leaf(name, words)


if __name__ == "__main__":
    sys.exit(main())

"""What launchers, containers and a few helpers do: as much as decides which processes start where, with which words and ranks."""
import fcntl
import os
import sys

import stub

REAL = "/.real/usr/bin/"
GPUS = [gpu for gpu in os.environ.get("CUDA_VISIBLE_DEVICES", ",".join(map(str, range(int(os.environ.get("STUB_GPUS", "0")))))).split(",") if gpu]


def found(program, env):
    if "/" in program:
        return program if os.access(program, os.X_OK) and not os.path.isdir(program) else None
    return next((f"{folder}/{program}" for folder in env.get("PATH", "").split(":") if folder and os.access(f"{folder}/{program}", os.X_OK)), None)


def become(words, env=None):
    """The program in the place of this one; recorded by its name where there is none."""
    env = dict(os.environ if env is None else env)
    if not words:
        return 0
    path = found(words[0], env)
    if path:
        os.execve(path, words, env)
    return stub.leaf(words[0], words[1:], env=env)


def options(words, valued=(), stop=()):
    """({name: [values]}, rest): names without leading dashes, `_` as `-`; `valued` is a set of names, or a function that says so."""
    takes = valued if callable(valued) else valued.__contains__
    seen, at = {}, 0
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-", "--"):
        name, equals, value = words[at].partition("=")
        key = name.lstrip("-").replace("_", "-")
        at += 1
        if not equals and takes(key) and at < len(words):
            value, at = words[at], at + 1
        seen.setdefault(key, []).append(value)
        if key in stop:
            break
    return seen, words[at + 1:] if words[at:at + 1] == ["--"] else words[at:]


def fork_all(count, program, words, env_of):
    """`count` processes at a time, each with what `env_of(i)` adds; the worst exit code."""
    children = []
    for i in range(count):
        child = os.fork()
        if child == 0:
            code = 70
            try:
                code = run_one(program, words(i) if callable(words) else words, {**os.environ, **env_of(i)})
            finally:
                os._exit(code)
        children.append(child)
    return max([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] or [0])


def run_one(program, words, env):
    if program == "python":
        return stub.leaf("python", words, env=env, stdin="", group=os.getppid())
    return become([program, *words], env)


# ---- launchers of Python ---------------------------------------------------------------------

TORCH = frozenset(("nnodes nproc-per-node rdzv-backend rdzv-endpoint rdzv-id rdzv-conf max-restarts monitor-interval start-method role log-dir r t redirects tee "
                   "node-rank master-addr master-port local-addr local-ranks-filter logs-specs numa-binding").split())


def arrival(name, nodes):
    """The rank of a node at this rendezvous: they are ordered by their names; where the number of this one is not known, by when they come."""
    own = os.environ.get("STUB_NODE") or (os.environ.get("SLURM_NODEID") if os.environ.get("SLURM_STEP_NUM_NODES") == str(nodes) else "")
    if own:
        return int(own) % nodes
    with open("/.rec/c10d-" + "".join(c if c.isalnum() else "-" for c in name), "a+", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        count = file.seek(0, os.SEEK_END)
        file.write("x")
    return count % nodes


def torchrun(words, launch=False):
    seen, rest = options(words, TORCH, stop=("m", "module"))
    more, rest = options(rest, TORCH) if "m" in seen or "module" in seen else ({}, rest)
    seen = {**more, **seen}

    def said(name, default):
        return seen[name][-1] if name in seen else os.environ.get("PET_" + name.upper().replace("-", "_"), default)
    standalone = "standalone" in seen
    nodes = 1 if standalone else of_range(said("nnodes", "1"))
    each = said("nproc-per-node", "1")
    count = max(1, len(GPUS)) if each in ("gpu", "auto") else number(each, 1)
    endpoint = said("rdzv-endpoint", "")
    address, port = said("master-addr", "127.0.0.1"), said("master-port", "29500")
    if endpoint:
        address, _, port = endpoint.rpartition(":") if ":" in endpoint else (endpoint, "", "29400")
    dynamic = said("rdzv-backend", "static") in ("c10d", "etcd", "etcd-v2")
    rank = arrival(said("rdzv-id", "none") + endpoint, nodes) if dynamic and nodes > 1 else number(said("node-rank", "0"), 0)
    script = (["-m"] if "m" in seen or "module" in seen else []) + rest
    program, arguments = ("python", script) if "no-python" not in seen else (rest[0], rest[1:])

    def env_of(i):
        return {"RANK": str(rank * count + i), "LOCAL_RANK": str(i), "WORLD_SIZE": str(nodes * count), "LOCAL_WORLD_SIZE": str(count), "MASTER_ADDR": address,
                "MASTER_PORT": port, "GROUP_RANK": str(rank)}
    if launch and "use-env" not in seen:
        at = 2 if script[:1] == ["-m"] else 1
        return fork_all(count, program, lambda i: [*arguments[:at], f"--local_rank={i}", *arguments[at:]], env_of)
    return fork_all(count, program, arguments, env_of)


def of_range(text):
    """The nodes of an elastic job: as many as there are, within its range."""
    low, _, high = text.partition(":")
    if not high:
        return number(low, 1)
    there = len(os.environ["STUB_NODES"].split(",")) if "STUB_NODES" in os.environ else number(os.environ.get("SLURM_STEP_NUM_NODES", os.environ.get("SLURM_NNODES", "1")), 1)
    return max(number(low, 1), min(number(high, 1), there))


ACCELERATE_FLAGS = frozenset("multi-gpu cpu tpu mps use-cpu use-deepspeed use-fsdp use-megatron-lm ipex use-xpu m module no-python debug quiet tpu-use-sudo help".split())


def accelerate(words):
    if words[:1] != ["launch"]:
        return stub.leaf("accelerate", words)
    seen, rest = options(words[1:], lambda name: name not in ACCELERATE_FLAGS)
    machines = number(last(seen, "num-machines", "1"), 1)
    total = number(last(seen, "num-processes", str(machines * max(1, len(GPUS)))), machines)
    count, rank = max(1, total // machines), number(last(seen, "machine-rank", "0"), 0)
    address, port = last(seen, "main-process-ip", "127.0.0.1"), last(seen, "main-process-port", "29500")
    module = ["-m"] if "m" in seen or "module" in seen else []
    told = {name: values[-1] for name, values in seen.items() if name in ("mixed-precision", "config-file", "use-deepspeed", "use-fsdp", "gradient-accumulation-steps",
                                                                         "deepspeed-config-file", "zero-stage", "dynamo-backend")}
    return fork_all(count, "python", module + rest, lambda i: {
        "RANK": str(rank * count + i), "LOCAL_RANK": str(i), "WORLD_SIZE": str(total), "MASTER_ADDR": address, "MASTER_PORT": port,
        "STUB_ACCELERATE": " ".join(f"{name}={value}" for name, value in sorted(told.items()))})


DEEPSPEED = frozenset("num-gpus num-nodes hostfile H include i exclude e master-port master-addr launcher launcher-args node-rank autotuning".split())


def deepspeed(words):
    seen, rest = options(words, DEEPSPEED)
    count = number(last(seen, "num-gpus", ""), max(1, len(GPUS)))
    nodes = number(last(seen, "num-nodes", "1"), 1)
    arguments = lambda i: ["-u", *rest[:1], f"--local_rank={i}", *rest[1:]]
    return fork_all(count, "python", arguments, lambda i: {"RANK": str(i), "LOCAL_RANK": str(i), "WORLD_SIZE": str(nodes * count),
                                                           "MASTER_ADDR": last(seen, "master-addr", "127.0.0.1"), "MASTER_PORT": last(seen, "master-port", "29500")})


MODULES = {"torch.distributed.run": torchrun, "torch.distributed.launch": lambda words: torchrun(words, launch=True),
           "accelerate.commands.launch": lambda words: accelerate(["launch", *words]), "deepspeed.launcher.runner": deepspeed,
           "accelerate": accelerate, "deepspeed": deepspeed}


def python(name, words):
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-", "-m", "-c"):
        at += 2 if words[at] in ("-W", "-X") else 1
    if words[at:at + 1] == ["-m"] and len(words) > at + 1 and words[at + 1] in MODULES:
        if by_path(name):
            os.environ["STUB_LAUNCHER"] = name
        return MODULES[words[at + 1]](words[at + 2:])
    if words[at:at + 1] == ["-c"]:
        code = words[at + 1] if len(words) > at + 1 else ""
        if "socket" in code and "bind" in code:
            print(23450 + number(os.environ.get("SLURM_PROCID", "0"), 0))
        elif "device_count" in code:
            print(len(GPUS))
    return stub.leaf(name, words)


# ---- MPI and Ray ----------------------------------------------------------------------

MPI_VALUES = frozenset("np n c x iface hostfile machinefile f H host hosts ppn perhost npernode N map-by bind-to rank-by wdir wd rf output-filename prefix genvlist envall-list cpus-per-proc".split())
MPI_COUNTS = frozenset("np n c x hostfile machinefile f H host hosts ppn perhost npernode N".split())  # seen in what is started
MPI_PAIRS = ("mca", "genv", "env", "gmca")


def mpirun(name, words):
    if ":" in words:
        return stub.leaf(name, words)
    given, rest, env, told = {}, list(words), {}, []
    while rest and rest[0].startswith("-"):
        key = rest[0].lstrip("-")
        if key in MPI_PAIRS:
            if key in ("genv", "env") and len(rest) > 2:
                env[rest[1]] = rest[2]
            else:
                told.append(" ".join(rest[:3]))
            rest = rest[3:]
            continue
        before = rest
        seen, rest = one(rest)
        if key.partition("=")[0] not in MPI_COUNTS and not any(value.startswith("ppr:") for value in seen.values()):
            told.append(" ".join(before[:len(before) - len(rest)]))
        for each, value in seen.items():
            if each == "x" and "=" in value:
                env[value.partition("=")[0]] = value.partition("=")[2]
            given[each] = value
    count = next((given[key] for key in ("np", "n", "c") if key in given), os.environ.get("SLURM_NTASKS") or os.environ.get("SLURM_NPROCS") or "1")
    os.environ.update(env, STUB_LAUNCHER=f"mpi {by_path(name)}".strip(), STUB_OPTIONS=" ".join(sorted(told)))
    if os.environ.get("SLURM_STEP_ID") or not os.environ.get("SLURM_JOB_ID"):
        return fork_all(number(count, 1), rest[0], rest[1:], lambda i: {"OMPI_COMM_WORLD_RANK": str(i)}) if rest else 0
    each = next((given[key] for key in ("ppn", "perhost", "npernode", "N") if key in given), "")
    if given.get("map-by", "").startswith("ppr:") and ":node" in given["map-by"]:
        each = given["map-by"].split(":")[1]
    spread = [f"--ntasks-per-node={each}"] if each else []
    clean = {key: value for key, value in os.environ.items() if key not in ("SLURM_NTASKS_PER_NODE", "SLURM_CPUS_PER_TASK", "SLURM_NTASKS", "SLURM_NPROCS")}
    clean["STUB_STDIN"] = "none"
    os.execve(REAL + "srun", ["srun", "--input=none", "--overlap", "--overcommit", "--oversubscribe", f"--ntasks={number(count, 1)}", *spread, *rest], clean)


def by_path(name):
    """A launcher that is called by its path is that one, whatever PATH has."""
    return name if "/" in name else ""


def one(words):
    """The first option of these words."""
    key, equals, value = words[0].lstrip("-").partition("=")
    if equals or key not in MPI_VALUES:
        return {key: value}, words[1:]
    return {key: words[1] if len(words) > 1 else ""}, words[2:]


def ibrun(words):
    """Of TACC: one process for each task of the job, as many as -n says."""
    seen, rest = options(words, ("n", "o", "np"))
    return mpirun("ibrun", ["-np", last(seen, "n", last(seen, "np", os.environ.get("SLURM_NTASKS", "1"))), *rest])


def elsewhere(name, words):
    """The launchers of other systems, where the world plays one of them (/.rec/elsewhere); on Slurm they are unknown words."""
    if not os.path.exists("/.rec/elsewhere"):
        return stub.leaf(name, words)
    seen, rest = options(words, ELSEWHERE)
    count = next((seen[key][-1] for key in ("n", "np") if key in seen), "1")
    each = next((seen[key][-1] for key in ("N", "r", "ppn") if key in seen), "")
    return mpirun(name, ["-np", count, *(["-npernode", each] if each else []), *rest])


ELSEWHERE = frozenset("n np N r a c g d b l ppn".split())


def ray(words):
    import signal
    import time
    if words[:1] == ["start"]:
        stub.record("ray", ["start", "head" if "--head" in words else "worker"], "ray")
        if "--block" in words:
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
            time.sleep(20)
        return 0
    if words[:1] == ["status"]:
        with open(stub.LOG, encoding="ascii") as log:
            alive = sum("'k': 'ray'" in line for line in log)
        print("Active:\n" + "".join(f" 1 node_{i:056x}\n" for i in range(alive)), end="")
        return 0
    if words[:2] == ["job", "submit"] and "--" in words:
        return become(words[words.index("--") + 1:])
    return stub.leaf("ray", words) if words[:1] not in (["stop"], ["--version"]) else 0


# ---- Slurm's own commands, and helpers ------------------------------------------------------------

SRUN_VALUES = frozenset(("A account b begin c cpus-per-task C constraint d dependency D chdir e error G gpus i input J job-name L licenses M clusters m distribution n ntasks N nodes "
                         "o output p partition q qos r relative S core-spec t time T threads w nodelist W wait x exclude X gres gpus-per-node gpus-per-task gpus-per-socket mem "
                         "mem-per-cpu mem-per-gpu cpu-bind gpu-bind cpus-per-gpu ntasks-per-node ntasks-per-core ntasks-per-socket ntasks-per-gpu export jobid mpi label-io "
                         "container-image container-mounts container-workdir container-name container-env kill-on-bad-exit hint het-group task-prolog task-epilog prolog epilog "
                         "open-mode cpu-freq reservation switches tmp time-min uid gid signal profile propagate network multi-prog-file").split()) - {"kill-on-bad-exit", "X"}


def srun(words):
    """The real one, without what this machine lacks: plugins of MPI and of containers."""
    at, kept, seen = 0, [], {}
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        name, equals, value = words[at].partition("=")
        key, short = name.lstrip("-"), not words[at].startswith("--")
        took = [words[at]]
        at += 1
        if not equals and key in SRUN_VALUES and at < len(words):
            value = words[at]
            took.append(value)
            at += 1
        if not short and key.startswith(("container-", "no-container-")):
            seen.setdefault(key, []).append(value)
        elif key not in ("mpi", "x11", "pty"):
            kept += took
        elif key == "mpi" and value != "none":
            os.environ["STUB_LAUNCHER"] = "mpi"
    if os.environ.pop("SLURM_MPI_TYPE", "none") != "none":
        os.environ["STUB_LAUNCHER"] = "mpi"
    if "container-image" in seen:
        os.environ["STUB_IMAGE"] = seen["container-image"][-1]
        mounts = ",".join(seen.get("container-mounts", []))
        os.environ["STUB_BINDS"] = " ".join(sorted(mounts.split(","))) if mounts else ""
        if "container-workdir" in seen:
            os.environ["STUB_FOLDER"] = seen["container-workdir"][-1]
    if os.fstat(0).st_mode & 0o170000 == 0o020000:  # nothing to hand on: then the tasks need not wait for its end
        kept.insert(0, "--input=none")
        os.environ["STUB_STDIN"] = "none"
    os.execv(REAL + "srun", ["srun", *kept, *words[at:]])


def scontrol(words):
    if words[:2] in (["show", "hostnames"], ["show", "hostname"], ["show", "hostlist"], ["show", "hostlistsorted"]):
        os.execv(REAL + "scontrol", ["scontrol", *words])
    if words == ["show", "node", os.environ.get("SLURMD_NODENAME")]:
        os.execv(REAL + "scontrol", ["scontrol", *words])
    return stub.leaf("scontrol", words)


def address(host):
    digits = "".join(c for c in host if c.isdigit())
    return f"10.77.0.{int(digits)}" if digits else "127.0.0.1"


def hostname(words):
    node = os.environ.get("SLURMD_NODENAME", "login")
    by_address = any(word in ("-i", "-I", "--ip-address", "--all-ip-addresses") for word in words)
    print(address(node) if by_address else node)
    return stub.leaf("hostname", words)


def date(words):
    if not any(word.startswith(("-d", "--date", "-r", "--reference", "-s", "--set", "-f")) for word in words):
        words = ["-d", "@1700000000", *words]
    os.execv(REAL + "date", ["date", *words])


def mktemp(words):
    seen, rest = options(words, ("p", "tmpdir", "suffix"))
    folder = last(seen, "p", last(seen, "tmpdir", "")) or os.environ.get("TMPDIR", "/tmp")
    name = rest[0] if rest else "tmp.XXXXXXXXXX"
    task, step = os.environ.get("SLURM_PROCID", "0"), 0
    stem = name.rstrip("X")
    path = stem if "/" in stem or (rest and not {"p", "tmpdir", "t"} & set(seen)) else f"{folder}/{stem}"
    while True:
        chosen = f"{path}t{task}n{step}"
        try:
            os.mkdir(chosen) if "d" in seen or "directory" in seen else os.close(os.open(chosen, os.O_CREAT | os.O_EXCL, 0o600))
            break
        except FileExistsError:
            step += 1
        except OSError as error:
            print(f"mktemp: {error}", file=sys.stderr)
            return 1
    print(chosen)
    return 0


def shuf(words):
    seen, _ = options(words, ("i", "input-range", "n", "head-count", "o"))
    span = last(seen, "i", last(seen, "input-range", ""))
    for word in words:  # -i2000-65000
        span = word[2:] if word.startswith("-i") and len(word) > 2 else span
    if not span:
        os.execv(REAL + "shuf", ["shuf", "--random-source=/dev/zero", *words])
    low, _, high = span.partition("-")
    print(int(low) + (37 * int(os.environ.get("SLURM_PROCID", "0")) + 11) % (int(high) - int(low) + 1))
    return 0


def nvidia_smi(words):
    text = " ".join(words)
    if "-L" in words or "--list-gpus" in words:
        print("".join(f"GPU {i}: A GPU (UUID: GPU-{i})\n" for i in range(len(GPUS))), end="")
    elif "--query-gpu" in text:
        print("A GPU\n" * len(GPUS), end="")
    return stub.leaf("nvidia-smi", words)


def conda(name, words):
    if words[:1] == ["run"]:
        seen, rest = options(words[1:], ("n", "name", "p", "prefix", "cwd"))
        env = next((seen[key][-1] for key in ("n", "name", "p", "prefix") if key in seen), "base")
        os.environ["STUB_SOFTWARE"] = ";".join(filter(None, (os.environ.get("STUB_SOFTWARE", ""), f"conda {env}")))
        return become(rest)
    return stub.leaf(name, words)


def sbatch(words):
    print("4242" if "--parsable" in words else "Submitted batch job 4242")
    return stub.leaf("sbatch", words)


WRAPPERS = {"numactl": "m membind N cpunodebind C physcpubind i interleave p preferred l localalloc".split(), "taskset": ["c"], "stdbuf": "i o e".split(), "unbuffer": [],
            "catchsegv": [], "time": ["f", "o"], "xvfb-run": ["s", "n", "e", "f"]}


def wrapper(name, words):
    seen, rest = options(words, () if name == "taskset" else WRAPPERS[name])
    if name == "taskset":
        rest = rest[1:]
    told = " ".join([name, *words[:len(words) - len(rest)]])
    if name != "time":
        os.environ["STUB_WRAPPERS"] = ";".join(filter(None, (os.environ.get("STUB_WRAPPERS", ""), told)))
    return become(rest)


def su(words):
    """slurmd asks `su - USER -c env` for the environment of a login."""
    if os.getuid() == 0 and "-c" in words:
        os.execve(REAL + "bash", ["bash", "-l", "-c", words[words.index("-c") + 1]], {
            "HOME": "/home/judge", "USER": "judge", "LOGNAME": "judge", "SHELL": "/bin/bash", "BASH_ENV": "/.judge/shell.sh"})
    return stub.leaf("su", words)


def last(seen, name, default):
    return seen[name][-1] if name in seen else default


def number(text, default):
    return int(text) if text.strip().isdigit() else default


CONTAINERS = ("singularity", "apptainer", "docker", "podman", "enroot", "shifter", "sarus")


def start(base, name, words):
    """What the program `base` does with these words; its exit code."""
    plain = {"torchrun": torchrun, "torch-distributed": torchrun, "accelerate": accelerate, "deepspeed": deepspeed, "ray": ray, "srun": srun, "scontrol": scontrol,
             "ibrun": ibrun, "hostname": hostname, "date": date, "mktemp": mktemp, "shuf": shuf, "nvidia-smi": nvidia_smi, "sbatch": sbatch, "su": su}
    named = {"mpirun": mpirun, "mpiexec": mpirun, "mpiexec.hydra": mpirun, "orterun": mpirun, "conda": conda, "mamba": conda, "micromamba": conda}
    if base in ("torchrun", "torch-distributed", "accelerate", "deepspeed") and by_path(name):
        os.environ["STUB_LAUNCHER"] = name
    if base in plain:
        return plain[base](words)
    if base in ("jsrun", "aprun", "mpiexec_mpt"):
        return elsewhere(name, words)
    if base in named:
        return named[base](name, words)
    if base in CONTAINERS:
        import containers
        return containers.start(base, name, words)
    if base in WRAPPERS:
        return wrapper(base, words)
    if base.startswith("python"):
        return python(name, words)
    printed = {"nproc": str(os.environ.get("STUB_CPUS") or os.environ.get("SLURM_CPUS_ON_NODE", "1")), "whoami": "judge", "id": "4242", "uuidgen": "00000000-0000-4000-8000-%012d" % (
        int(os.environ.get("SLURM_PROCID", "0")) + 1)}
    if base in printed:
        print(printed[base])
    return stub.leaf(name, words)

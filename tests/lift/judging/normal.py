"""Processes in a form in which two runs of one job are alike: without job ids, node names, ports, and what Slurm and shells set."""
import dataclasses
import re

from corpus import needs

ADDED = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")  # may come in where the original has none
# These may always come in: what muster, launchers and operators give a program.
RUNNERS = re.compile(r"(MUSTER|PET|JOBSET|VC|VK|LWS|KUBERAY|RAY)_\w+|JOB_COMPLETION_INDEX|GROUP_RANK")
OWN = re.compile(r"_|SHLVL|PWD|OLDPWD|BASH_ENV|BASH_FUNC_.*|HOSTNAME|ENVIRONMENT|CUDA_VISIBLE_DEVICES|GPU_DEVICE_ORDINAL|ROCR_VISIBLE_DEVICES|ZE_AFFINITY_MASK|PMI_.*|SRUN_DEBUG"
                 r"|SLURM_.*|PBS_.*|LSB_.*|SLURMD_.*|CONDA_PREFIX|CONDA_DEFAULT_ENV|GROUP_RANK|LOCAL_WORLD_SIZE|OMPI_.*|STUB_.*|HOME|USER|LOGNAME|SHELL|LANG|LINES|COLUMNS|LC_CTYPE|SBATCH_.*|JUDGE_.*")
SPOOL = re.compile(r"/slurm/\w+/spool/[\w<>-]+/job[\w<>.]+|/slurm/(first|second)(?=/)|(?<=judge:127\.0\.0\.1:)\d+")
OF_MKTEMP = re.compile(r"t\d+n\d+$")  # what the job made by itself, by the stub's names
SETS_UP = ("conda", "mamba", "spack", "module")  # these find what they need by themselves, in whatever folder
OTHER = ("software", "image", "binds", "folder", "wrappers", "accelerate", "run", "launcher", "options", "given")  # what stubs hand on, besides the environment


@dataclasses.dataclass(frozen=True)
class Process:
    program: str
    argv: tuple
    cwd: str
    gpus: str
    stdin: str
    other: tuple  # pairs
    env: tuple    # pairs, by name

    def fields(self):
        out = {"program": self.program, "argv": self.argv, "cwd": self.cwd, "gpus": self.gpus, "stdin": self.stdin}
        out.update((f"env {name}", value) for name, value in self.env)
        out.update(self.other)
        return out


def processes(run, by_id=False):
    """[(Process, kind)] of a run; `by_id` where the script chooses GPUs itself."""
    ports = {record["e"].get(name) for record in run["log"] for name in ("MASTER_PORT", "MUSTER_PORT")} - {None, ""}
    pids = {process for record in run["log"] for process in record["p"]}
    return [(one(record, ports, pids, by_id), record["k"]) for record in run["log"]]


def one(record, ports, pids, by_id):
    env = record["e"]
    plain = normaliser(env, ports, pids)
    gpus = env.get("CUDA_VISIBLE_DEVICES", ",".join(map(str, range(int(env.get("STUB_GPUS", "0"))))))
    kept = tuple(sorted((name, plain(name, value)) for name, value in env.items() if not OWN.fullmatch(name)))
    other = tuple((name, plain("", env.get("STUB_" + name.upper(), "")).strip(";")) for name in OTHER)
    if record["k"] == "ray":
        return Process("ray", tuple(record["a"]), "", "", "", (), ())
    program, folder = plain("", record["n"]).replace("/./", "/"), plain("", record["c"])
    if "/" in program and not program.startswith(("/", "<")):  # srun looks for its program by itself
        program = f"{folder}/{program.removeprefix('./')}"
    return Process("python" if re.fullmatch(r"python[23]?(\.\d+)?", program) else program, tuple(plain("", word) for word in record["a"]), "" if program in SETS_UP and record["a"][:1] != ["run"] else plain("", record["c"]),
                   gpus if by_id else str(len([gpu for gpu in gpus.split(",") if gpu])), record["i"], other, kept)


def taken(run, relative=False):
    """{path: how} of what the programs of a run would take away; with `relative`, what is in a program's folder is named from there."""
    ports = {record["e"].get(name) for record in run["log"] for name in ("MASTER_PORT", "MUSTER_PORT")} - {None, ""}
    pids = {process for record in run["log"] for process in record["p"]}
    out = {}
    for record in run["log"]:
        if record["d"]:
            plain = normaliser(record["e"], ports, pids)
            folder = record["c"].rstrip("/") + "/"
            out.update((plain("", path.removeprefix(folder) if relative else path), how) for how, path in record["d"] if not OF_MKTEMP.search(path))
    return out


def without_processes(text, pids):
    """Process ids of this run, which are larger than most numbers (world.FIRST_PROCESS)."""
    return re.sub(r"(?<!\d)[23]\d{4}(?!\d)", lambda match: "<PID>" if int(match[0]) in pids else match[0], text)


def address(node):
    """The stubs' address of a node of the fleet."""
    digits = re.search(r"\d+$", node)
    return f"10.77.0.{int(digits[0])}" if digits and node.startswith("judgenode") else ""


def normaliser(env, ports, pids):
    """A function of a variable's name ("" for other texts) and a text."""
    jobs = {env.get("SLURM_JOB_ID"), env.get("SLURM_ARRAY_JOB_ID"), env.get("MUSTER_ID")} - {None, ""}
    listed = env.get("SLURM_JOB_NODELIST", "")
    nodes = [names.split("|") for names in env["STUB_NODES"].split(",")] if "STUB_NODES" in env else [[node, address(node)] for node in needs.expanded(listed)] if listed else []
    swaps = [(re.escape(listed), "<NODES>")] if "[" in listed else []
    for number, names in enumerate(nodes):
        longest = sorted(filter(None, names), key=len, reverse=True)
        swaps.append((rf"(?<![\w.-])({'|'.join(map(re.escape, longest))})(?![\w-])", "<HEAD>" if number == 0 else f"<NODE{number}>"))
    swaps += [(rf"(?<!\d){re.escape(job)}(?!\d)", "<JOB>") for job in sorted(jobs)]
    swaps += [(rf"(?<![\d.]){re.escape(port)}(?![\d.])", "<PORT>") for port in sorted(ports) if re.fullmatch(r"\d{4,5}", port)]
    compiled = [(re.compile(pattern), name) for pattern, name in swaps]

    def plain(variable, text):
        if variable == "MASTER_ADDR" and len(nodes) < 2 and text in ("localhost", "127.0.0.1"):
            return "<HEAD>"
        for pattern, name in compiled:
            text = pattern.sub(name, text)
        return without_processes(SPOOL.sub("<SCRIPT>", text), pids)
    return plain


def without_additions(after, before, axes=()):
    """The result's processes without the variables that may come in (`axes` of a sweep, too) and that no process of the original has."""
    had = {name for process in before for name, _ in process.env}
    by_mpi = any(value.startswith("mpi") for process in before for name, value in process.other if name == "launcher")  # a launch by srun that is not said to be MPI may become one that is

    def may_come(name):
        return name not in had and (name in ADDED or name.removesuffix("_value") in axes or RUNNERS.fullmatch(name))

    def other(process):
        return process.other if by_mpi else tuple((name, "" if name == "launcher" and value == "mpi" else value) for name, value in process.other)
    return [dataclasses.replace(process, env=tuple(pair for pair in process.env if not may_come(pair[0])), other=other(process)) for process in after]

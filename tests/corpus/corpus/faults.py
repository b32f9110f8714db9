"""Fifteen faults that can be planted into a clean script, each with the rule that has to find it."""
import dataclasses
import re
from collections.abc import Callable

from . import directives

SIZE = ("nodes", "ntasks", "ntasks-per-node", "cpus-per-task", "gres", "gpus", "gpus-per-node", "gpus-per-task", "array")

# Where they are faults: Slurm 22.05 makes no folders for logs and gives a step its own CPUs only, a user may have 500 jobs, and jobs share nodes of 8 GPUs.
SITE = """
fleet seeded {
  pool gpu {
    nodes = 64
    gpu   { model = a100  memory = 80GB  count = 8 }
    node  { cpus = 256  memory = 2TB }
  }
}
site seeded {
  fleet = seeded
  plane slurm { kind = slurm  version = "22.05" }
  queue all   { name = ""  default = true  max-jobs = 500 }
}
"""


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    rule: str
    plant: Callable[[str], str]


def parts(text):
    """The lines that sbatch reads, and the rest."""
    lines = text.split("\n")
    count = len(list(directives.head(text)))
    return lines[:count], lines[count:]


def with_directives(text, *added, without=()):
    head, body = parts(text)
    kept = [line for line in head if not (line.startswith("#SBATCH") and any(option in without for option, _ in directives.options(line)))]
    return "\n".join([*kept, *(f"#SBATCH {line}" for line in added), *body])


def with_commands(text, *added):
    head, body = parts(text)
    return "\n".join([*head, *added, *body])


def job(text, nodes, tasks, *commands, more=()):
    """The script as a job of 4 GPUs a node that runs these commands first."""
    shape = (f"--nodes={nodes}", f"--ntasks-per-node={tasks}", "--gres=gpu:4", *more)
    return with_commands(with_directives(text, *shape, without=SIZE), *commands)


def alone(text):
    """The script with nothing of its commands but what prepares others: rules about the only start of a job see no second one."""
    head, body = parts(text)
    return "\n".join([*head, *(line for line in body if re.match(r"(module|ml|export|source|conda)\s[^;&|]*$", line) and "\\" not in line)])


def late_directive(text):
    return with_commands(text, "set -e", "#SBATCH --nice=100")


def torchrun(nodes, endpoint="$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1):$((10000 + SLURM_JOB_ID % 20000))"):
    return f"srun torchrun --nnodes={nodes} --nproc_per_node=4 --rdzv_backend=c10d --rdzv_endpoint={endpoint} train.py"


def token():
    """Shaped like a token of Hugging Face, and nobody's; no literal one stands in this file."""
    return "hf" + "_" + "kLmNoPqRsTuVwXyZaBcDeFgHiJkLmNoPqR"


FAULTS = (
    Fault("a launcher in every task", "SLM001", lambda text: job(text, 2, 4, torchrun(2))),
    Fault("fewer processes than GPUs", "SLM002", lambda text: job(alone(text), 2, 1, torchrun(2).replace("node=4", "node=2"))),
    Fault("rendezvous at localhost", "SLM003", lambda text: job(text, 2, 1, torchrun(2, "localhost:29500"))),
    Fault("srun without the CPUs of sbatch", "SLM004", lambda text: job(text, 1, 4, "srun python train.py", more=("--cpus-per-task=8",))),
    Fault("a wide array without a throttle", "SLM007", lambda text: with_directives(text, "--array=0-999", without=("array", "partition"))),
    Fault("GPUs and one plain process", "SLM010", lambda text: job(alone(text), 1, 1, "python train.py")),
    Fault("a fixed port", "SLM012", lambda text: job(text, 2, 1, "export MASTER_PORT=29500", torchrun(2, "$MASTER_ADDR:$MASTER_PORT"))),
    Fault("an output folder made too late", "SLM016", lambda text: with_commands(with_directives(text, "--output=new-logs/%j.out"), "mkdir -p new-logs")),
    Fault("the script's own folder", "SLM018", lambda text: with_commands(text, 'cd "$(dirname "$0")"')),
    Fault("a directive below a command", "SLM019", late_directive),
    Fault("a variable in a directive", "SLM020", lambda text: with_directives(text, "--error=of-$USER-%j.err")),
    Fault("an option of srun alone", "SLM021", lambda text: with_directives(text, "--kill-on-bad-exit=1")),
    Fault("degrees that do not multiply up", "PAR001", lambda text: job(
        text, 2, 1, torchrun(2) + " --tensor-model-parallel-size 4 --pipeline-model-parallel-size 3 --data-parallel-size 1")),
    Fault("three days without a checkpoint", "CKP001", lambda text: job(alone(text), 8, 1, torchrun(8), more=("--time=3-00:00:00",))),
    Fault("a literal token", "SEC001", lambda text: with_commands(text, f"export HF_TOKEN={token()}")),
)


def suits(fault, text):
    """Whether the planted line stands alone: a script that already has its own of the kind says nothing about the rule."""
    return "new-logs" not in text and not re.search(r"hetjob|packjob", text) and (fault.rule != "SLM019" or "--nice" not in text)

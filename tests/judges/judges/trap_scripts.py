"""Checks of traps in job scripts. Each gets the text of one file and returns what is wrong, or None."""
import re


def directives(text):
    return re.findall(r"^#SBATCH +(--?[a-z-]+)(?:[= ](\S+))?", text, re.M)


def has(text, *names):
    return any(name in names for name, _ in directives(text))


def value(text, name):
    return next((found for own, found in directives(text) if own == name), None)


def body(text):
    """What muster wrote: comments aside, and the user's own script, which a here-document holds."""
    text = re.sub(r"<<-?'?(\w+)'?\n.*?\n\1\n", "\n", text, flags=re.S)
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))


def steps(text):
    """The logical lines that start a step."""
    joined = re.sub(r"\\\n\s*", " ", body(text))
    return [line for line in joined.splitlines() if re.search(r"(^|[ (;|&])srun ", line)]


def requeue_by_default(text):
    """Clusters requeue jobs that say nothing: a job without checkpoints begins again, over its own results."""
    return None if has(text, "--requeue", "--no-requeue") else "neither --requeue nor --no-requeue"


def lost_log(text):
    """A requeued job truncates the log of the attempt that failed, unless it appends."""
    if has(text, "--requeue") and value(text, "--open-mode") != "append" and "%r" not in text:
        return "requeued, and its log is truncated" if "SLURM_RESTART_COUNT" in text else None
    return None


def array_one_log(text):
    """All tasks of an array write one file."""
    output = value(text, "--output")
    if has(text, "--array") and output and not re.search(r"%[aAxjJ]", output):
        return output
    return None


def cpus_not_inherited(text):
    """Since 22.05 srun does not take --cpus-per-task from the job."""
    if not has(text, "--cpus-per-task"):
        return None
    return next((line for line in steps(text) if "--cpus-per-task" not in line and "-c " not in line and "--overlap" not in line and "--ntasks=1 " not in line
                 and "hostname" not in line), None)


def endless_wait(text):
    """`until curl` has no end where the other side never comes up."""
    for loop in re.findall(r"\b(?:until|while !) +(?:curl|nc|wget)\b.*?\bdone\b", body(text), re.S):
        if not re.search(r"SECONDS|\bexit\b|\bbreak\b", loop):
            return loop
    return None


def probe_through_proxy(text):
    return next((line for line in body(text).splitlines() if re.search(r"\bcurl +-", line) and "--noproxy" not in line), None)


def container_for_each_probe(text):
    """pyxis starts a container for each step that names an image without a name of its own."""
    loops = re.findall(r"(?:until|while|for) [^\n]*srun [^\n]*--container-image[^\n]*", re.sub(r"\\\n\s*", " ", body(text)))
    return next((loop for loop in loops if "--container-name" not in loop), None)


def fixed_port(text):
    """Two jobs on one node meet at the same port."""
    if has(text, "--exclusive") or not re.search(r"MASTER_PORT|rdzv", text):
        return None
    found = re.search(r"(?:MASTER_PORT=|--master[-_]port[= ])(29500|29501|12355)\b", body(text))
    return found[0] if found else None


def swallowed_exit(text):
    """`wait` without a process ends with 0, whatever became of the step."""
    lines = [line.strip() for line in body(text).splitlines() if line.strip()]
    return lines[-1] if lines and lines[-1] in ("wait", "true", "exit 0") else None


def one_core_binding(text):
    """One task a node without CPUs of its own is bound to one core: data loaders of all GPUs share it."""
    gpus = value(text, "--gpus-per-node") or value(text, "--gres")
    if not gpus or has(text, "--exclusive") or has(text, "--cpus-per-task", "--cpus-per-gpu"):
        return None
    return "GPUs, and nothing says how many CPUs" if has(text, "--ntasks-per-node", "--ntasks") else None


def head_by_name_of_batch_host(text):
    """`hostname` on each node is that node: the ranks do not meet."""
    found = re.search(r"srun [^\n]*(?:sh|bash) -l?c '[^'\n]*(?:MASTER_ADDR|rdzv[-_]endpoint)=?\s*\"?\$\(hostname", body(text))
    return found[0][:100] if found else None


def default_shutdown(text):
    """torchrun kills its workers 30 s after it was told to stop, however long the job would wait."""
    lead = re.search(r"--signal=(?:R?B?:|B:)?[A-Z0-9]+@(\d+)", text)
    if not lead or int(lead[1]) <= 60 or not re.search(r"\btorchrun\b", body(text)):
        return None
    forwards = re.search(r"scancel --signal=|kill -s|kill -TERM", text)
    return None if "TORCH_ELASTIC_SHUTDOWN_TIMEOUT" in text or not forwards else f"{lead[1]} s of warning"


CHECKS = {
    "requeue-by-default": requeue_by_default,
    "lost-log": lost_log,
    "array-one-log": array_one_log,
    "cpus-not-inherited": cpus_not_inherited,
    "endless-wait": endless_wait,
    "probe-through-proxy": probe_through_proxy,
    "container-for-each-probe": container_for_each_probe,
    "fixed-port": fixed_port,
    "swallowed-exit": swallowed_exit,
    "one-core-binding": one_core_binding,
    "head-by-hostname": head_by_name_of_batch_host,
    "default-shutdown": default_shutdown,
}

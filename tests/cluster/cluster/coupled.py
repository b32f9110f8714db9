"""Coupled workloads however they come about: a spec of kind `batch`, or an object that names no gang scheduler, imported and compiled
for this one. Of two that do not both fit, one starts whole and no pod of the other holds a GPU; it follows at the end of the first."""
import itertools

from . import gangs, scenarios
from .gangs import CPUS, GPUS, MEMORY

AT_ONCE = 8
PAIRED = "{name: main, image: registry.example/any:1, command: COMMAND, resources: {limits: {nvidia.com/gpu: %d, cpu: %d, memory: 64Gi}}}" % (GPUS, CPUS)
TOLERATES = "tolerations: [{key: nvidia.com/gpu, operator: Exists}]"

# Programs whose processes meet, as a spec starts them.
LAUNCHES = {
    "torchrun": 'launch { runner = torchrun }  command = ["train.py"]',
    "accelerate": 'launch { runner = accelerate }  command = ["train.py"]',
    "processes": 'launch { runner = processes }  command = ["train"]',
    "mpi": 'launch { runner = mpi  processes = 8 }  command = ["lmp_mpi"]',
    "ray": 'launch { runner = ray  version = "2.49" }  command = ["python3", "grpo.py"]',
    "deepspeed": 'command = ["deepspeed", "--num_nodes", "{size}", "train.py"]',
}
# The targets that take each.
TARGETS = {"mpi": ("mpijob",), "ray": ("rayjob",)}
OTHERS = ("job", "jobset", "volcano-job", "pytorchjob", "trainjob")
ONLY_TORCH = ("pytorchjob", "trainjob")

# The same as commands of containers.
COMMANDS = {
    "torchrun": '[torchrun, "--nnodes={size}", "--nproc_per_node=8", "--rdzv_endpoint={name}-0.{name}:29500", train.py]',
    "deepspeed": '[deepspeed, "--num_nodes={size}", train.py]',
    "shell": '[bash, -c, "cd /w && accelerate launch --num_machines {size} train.py"]',
    "by name": '[python3, train.py, "--head={name}-0.{name}"]',
}

OBJECTS = {
    "job": """apiVersion: batch/v1
kind: Job
metadata: {{name: {name}}}
spec: {{completionMode: Indexed, completions: {size}, parallelism: {size}, backoffLimit: 0, template: {pod}}}
""",
    "jobset": """apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: {name}}}
spec: {{replicatedJobs: [{{name: w, replicas: 1, template: {{spec: {{completions: {size}, parallelism: {size}, backoffLimit: 0, template: {pod}}}}}}}]}}
""",
    "pytorchjob": """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: {name}}}
spec: {{pytorchReplicaSpecs: {{Master: {{replicas: 1, restartPolicy: Never, template: {pod}}}, Worker: {{replicas: {others}, restartPolicy: Never, template: {pod}}}}}}}
""",
    "volcano-job": """apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: {name}}}
spec: {{schedulerName: volcano, minAvailable: 1, tasks: [{{name: w, replicas: {size}, template: {pod}}}]}}
""",
    "lws": """apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: {name}}}
spec: {{replicas: 1, leaderWorkerTemplate: {{size: {size}, workerTemplate: {pod}}}}}
""",
    "rayjob": """apiVersion: ray.io/v1
kind: RayJob
metadata: {{name: {name}}}
spec: {{entrypoint: python3 train.py, rayClusterSpec: {{rayVersion: "2.49.0", headGroupSpec: {{rayStartParams: {{}}, template: {pod}}}, workerGroupSpecs: [{{groupName: w, replicas: {others}, minReplicas: {others}, maxReplicas: {others}, rayStartParams: {{}}, template: {pod}}}]}}}}
""",
}
NO_COMMAND = ("rayjob",)
FIXED_COMMAND = {"lws": "[vllm, serve]"}


class Coupled(gangs.Cell):
    """A cell whose gangs have another origin: `spec` or `import`, and a launcher."""

    def __init__(self, lab, origin, kind, launcher, provider, size):
        super().__init__(lab, kind, provider, "two race", 2 * size - 1)
        self.origin, self.launcher, self.size = origin, launcher, size
        self.label = f"{origin} {launcher} {size} pods, {kind} on {provider}"

    def documents(self, name, count, **_):
        spec = self.spec_of(name, count) if self.origin == "spec" else self.imported(name, count)
        found, said = self.lab.compile(spec, self.site, self.target)
        if found is None:
            raise LookupError(said)
        return found

    def spec_of(self, name, count):
        spec = self.folder / f"{name}.muster"
        text = LAUNCHES[self.launcher].replace("{size}", str(count))
        spec.write_text(f"workload {name} {{\n  kind = batch  time-limit = 1h\n  resources {{ nodes = {count}  gpus = {GPUS}  gpu = h100  cpus = {CPUS}  memory = {MEMORY} }}\n"
                        f"  software = any\n  {text}\n}}\n")
        return spec

    def imported(self, name, count):
        command = FIXED_COMMAND.get(self.kind) or COMMANDS.get(self.launcher, "[python3, train.py]").format(size=count, name=name)
        container = PAIRED.replace("command: COMMAND, ", "" if self.kind in NO_COMMAND else f"command: {command}, ")
        restart = "" if self.kind in ("lws", "rayjob") else "restartPolicy: Never, "
        pod = f"{{spec: {{{restart}{TOLERATES}, containers: [{container.replace('name: main', 'name: pytorch') if self.kind == 'pytorchjob' else container}]}}}}"
        manifest = self.folder / f"{name}.yaml"
        manifest.write_text(OBJECTS[self.kind].format(name=name, size=count, others=count - 1, pod=pod))
        out = self.folder / f"{name}-imported"
        done = self.lab.ask("import", manifest, "-o", out)
        if done.returncode:
            raise LookupError((done.stdout + done.stderr).strip())
        return out / f"{name}.muster"


def of_spec(provider):
    for launcher in LAUNCHES:
        for kind in TARGETS.get(launcher, OTHERS):
            if kind in ONLY_TORCH and launcher != "torchrun" or kind == "volcano-job" and provider != "volcano" or kind == "trainjob" and provider == "volcano":
                continue
            yield "spec", kind, launcher


def of_import(provider):
    for kind in OBJECTS:
        if kind == "volcano-job" and provider != "volcano":
            continue
        launchers = ("operator",) if kind in NO_COMMAND or kind in FIXED_COMMAND else ("torchrun",) if kind == "pytorchjob" else COMMANDS
        for launcher in launchers:
            yield "import", kind, launcher


def cells(lab, providers, words):
    """All of them with the word `all`; otherwise each kind once for each origin, of three pods."""
    everything = "all" in words
    known = set()
    for provider in providers:
        for turn, (origin, kind, launcher) in enumerate(itertools.chain(of_spec(provider), of_import(provider))):
            sizes = (2 + turn % 4, 6) if everything else (3,)
            if not everything and (origin, kind, provider) in known:
                continue
            known.add((origin, kind, provider))
            for size in sizes:
                yield Coupled(lab, origin, kind, launcher, provider, size)


def race(cell):
    """What two gangs of a cell do: `follows`, or `part`."""
    cell.open()
    cell.lab.create([document for name in ("a", "b") for document in cell.documents(name, cell.size)], cell.name)
    cell.space.until(lambda: cell.starts("a", cell.size, 0) or cell.starts("b", cell.size, 0), 60)
    cell.space.settle(quiet=4.0)
    counts = [len(cell.running(name)) for name in ("a", "b")]
    if not one_is_whole(counts, cell.size):
        return f"part: {counts} of {cell.size}"
    first, second = ("a", "b") if counts[0] else ("b", "a")
    scenarios.end_all(cell, first)
    return "follows" if cell.starts(second, cell.size) else "stays"


def one_is_whole(counts, size):
    """Of gangs of one size that do not fit together: one runs with all its pods, and the others with none."""
    return sorted(counts) == [0] * (len(counts) - 1) + [size]


def run(lab, report, providers, words=()):
    wanted = [word for word in words if word != "all"]
    chosen = [cell for cell in cells(lab, providers, words) if not wanted or any(word in cell.label for word in wanted)]
    seen = lab.again(lambda cell: scenarios.observe(cell.fresh(), race), chosen, AT_ONCE, lambda cell, word: word != "follows")
    right = sum(report.check(f"coupled: {cell.label}", seen[cell] == "follows", f"{seen[cell]}; {cell.detail}") for cell in chosen)
    report.say(f"{right} of {len(chosen)} coupled workloads start whole or not at all")

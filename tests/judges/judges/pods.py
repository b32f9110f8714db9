"""The pods that operators make of a manifest, run on this machine: environment and files as the kubelet gives them,
stubs for the programs. What an operator injects is written down by hand from its sources and documentation."""
import copy
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess

from . import lib

STUBS = ("probe", "torchrun", "accelerate", "ray", "python3", "lmp_mpi", "jupyter", "vllm", "train", "python", "trl", "nvidia-smi", "deepspeed", "all_reduce_perf")


# Writes down its name, words and environment. `ray` keeps a node of Slurm's alive and counts such nodes, or those of a group.
STUB = """#!/bin/sh
record=$JUDGE_RECORDS/$(date +%s%N)-$$
printf '%s\\0' "${0##*/}" "$@" > "$record.argv"
env -0 > "$record.env"
[ "${0##*/}" = ray ] && [ -n "${SLURM_JOB_ID:-}${LWS_GROUP_SIZE:-}" ] || exit 0
case $1 in
  start) [ -z "${SLURM_JOB_ID:-}" ] || exec sleep 20 ;;
  status) i=0; while [ "$i" -lt "${LWS_GROUP_SIZE:-$SLURM_JOB_NUM_NODES}" ]; do echo " 1 node_$i"; i=$((i + 1)); done ;;
esac
"""


# What sshd starts has nothing of the container's environment.
SSHD = """#!/bin/sh
exec env -i PATH="$PATH" JUDGE_RECORDS="$JUDGE_RECORDS" /bin/sh -c "$JUDGE_RANK"
"""


@dataclasses.dataclass
class Pod:
    """One pod: its template, and what its operator adds."""
    name: str
    template: dict
    env: dict = dataclasses.field(default_factory=dict)
    labels: dict = dataclasses.field(default_factory=dict)
    annotations: dict = dataclasses.field(default_factory=dict)
    rank: int = 0
    role: str = "main"

    @property
    def container(self):
        return self.template["spec"]["containers"][0]


class Manifest:
    def __init__(self, path):
        import yaml
        self.documents = [document for document in yaml.safe_load_all(path.read_text()) if document]

    def of_kind(self, *kinds):
        return [document for document in self.documents if document["kind"] in kinds]

    def config(self, name):
        return next(document["data"] for document in self.of_kind("ConfigMap") if document["metadata"]["name"] == name)


# ---- what each operator makes ------------------------------------------------------------------

def of_job(job):
    """Job controller: the index of an Indexed Job."""
    spec, name = job["spec"], job["metadata"]["name"]
    labels = {"batch.kubernetes.io/controller-uid": "uid-1", "batch.kubernetes.io/job-name": name}
    for i in range(spec.get("completions", spec.get("parallelism", 1))):
        env = {"JOB_COMPLETION_INDEX": str(i)} if spec.get("completionMode") == "Indexed" else {}
        index = {"batch.kubernetes.io/job-completion-index": str(i)} if env else {}
        yield Pod(f"{name}-{i}", spec["template"], env, {**labels, **index}, index, i)


def of_jobset(jobset):
    """JobSet v0.12: Indexed Jobs; numbers in labels and annotations."""
    name = jobset["metadata"]["name"]
    for job in jobset["spec"]["replicatedJobs"]:
        spec = job["template"]["spec"]
        for j in range(job.get("replicas", 1)):
            for i in range(spec.get("completions", spec.get("parallelism", 1))):
                notes = {"jobset.sigs.k8s.io/job-index": str(j), "jobset.sigs.k8s.io/jobset-uid": "uid-1", "jobset.sigs.k8s.io/restart-attempt": "0",
                         "jobset.sigs.k8s.io/jobset-name": name, "batch.kubernetes.io/job-completion-index": str(i)}
                yield Pod(f"{name}-{job['name']}-{j}-{i}", spec["template"], {"JOB_COMPLETION_INDEX": str(i)}, notes, notes, i, job["name"])


def of_trainjob(job):
    """Trainer v2.3: the plugin of the runtime's policy, for torch or JAX, and the JobSet below."""
    name, trainer, runtime = job["metadata"]["name"], job["spec"]["trainer"], job.get("runtime", {})
    jobs = runtime.get("spec", {}).get("template", {}).get("spec", {}).get("replicatedJobs", [])
    base = jobs[0]["template"]["spec"]["template"]["spec"] if jobs else {}
    patch = {"spec": {}}
    for each in job["spec"].get("runtimePatches", [])[:1]:
        patch = each["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    container = {**base.get("containers", [{}])[0], **patch["spec"].get("containers", [{}])[0], **{key: trainer[key] for key in ("image", "command", "args", "env") if key in trainer}}
    container["resources"] = trainer.get("resourcesPerNode", container.get("resources", {}))
    template = {"metadata": patch.get("metadata", {}), "spec": {**base, **patch["spec"], "containers": [container]}}
    for i in range(trainer.get("numNodes", 1)):
        first = f"{name}-node-0-0.{name}"
        if job["spec"]["runtimeRef"]["name"] == "jax-distributed" or "jax" in runtime.get("spec", {}).get("mlPolicy", {}):  # pkg/runtime/framework/plugins/jax/jax.go
            env = {"JAX_NUM_PROCESSES": str(trainer.get("numNodes", 1)), "JAX_PROCESS_ID": str(i), "JAX_COORDINATOR_ADDRESS": f"{first}:6666",
                   "JAX_COORDINATOR_PORT": "6666", "JAX_DISTRIBUTED_BACKEND": "gloo"}
        else:
            env = {"PET_NNODES": str(trainer.get("numNodes", 1)), "PET_NPROC_PER_NODE": str(trainer.get("numProcPerNode", "auto")),
                   "PET_NODE_RANK": str(i), "PET_MASTER_ADDR": first, "PET_MASTER_PORT": "29500"}
        env["JOB_COMPLETION_INDEX"] = str(i)
        labels = {"jobset.sigs.k8s.io/jobset-name": name, "batch.kubernetes.io/job-completion-index": str(i)}
        yield Pod(f"{name}-node-0-{i}", template, env, labels, rank=i)


def of_pytorchjob(job):
    """Training operator v1.9, pkg/controller.v1/pytorch/envvar.go and master.go."""
    name, spec = job["metadata"]["name"], job["spec"]
    if "elasticPolicy" in spec:
        policy = {"nProcPerNode": spec.get("nprocPerNode", "1"), "rdzvBackend": "c10d", **spec["elasticPolicy"]}
        yield from of_elastic(name, policy, spec["pytorchReplicaSpecs"]["Worker"])
        return
    each = str(spec.get("nprocPerNode", "auto"))
    counts = {role: replica.get("replicas", 1) for role, replica in spec["pytorchReplicaSpecs"].items()}
    total = sum(counts.values())
    processes = int(each) if each.isdigit() else 1
    for role, replica in spec["pytorchReplicaSpecs"].items():
        for i in range(counts[role]):
            rank = i if role == "Master" else i + 1
            env = {"PYTHONUNBUFFERED": "1", "MASTER_ADDR": f"{name}-master-0", "MASTER_PORT": "23456", "PET_MASTER_ADDR": f"{name}-master-0",
                   "PET_MASTER_PORT": "23456", "RANK": str(rank), "PET_NODE_RANK": str(rank), "WORLD_SIZE": str(total * processes),
                   "PET_NPROC_PER_NODE": each, "PET_NNODES": str(total)}
            if "Master" not in counts:  # then no pod has a rank or an address
                env = {key: env[key] for key in ("PYTHONUNBUFFERED", "PET_NPROC_PER_NODE", "PET_NNODES")}
            labels = {"training.kubeflow.org/job-name": name, "training.kubeflow.org/replica-index": str(i)}
            yield Pod(f"{name}-{role.lower()}-{i}", replica["template"], env, labels, rank=rank)


def of_elastic(name, policy, workers):
    """pkg/controller.v1/pytorch/elastic.go: no Master, no rank; the rendezvous gives that."""
    for i in range(workers.get("replicas", 1)):
        env = {"PYTHONUNBUFFERED": "1", "PET_RDZV_ENDPOINT": f"{name}-worker-0:23456", "PET_RDZV_BACKEND": policy["rdzvBackend"],
               "PET_NNODES": f"{policy.get('minReplicas', 1)}:{policy.get('maxReplicas', 1)}", "PET_NPROC_PER_NODE": str(policy["nProcPerNode"])}
        if "maxRestarts" in policy:
            env["PET_MAX_RESTARTS"] = str(policy["maxRestarts"])
        labels = {"training.kubeflow.org/job-name": name, "training.kubeflow.org/replica-index": str(i)}
        yield Pod(f"{name}-worker-{i}", workers["template"], env, labels, rank=i)


def of_mpijob(job):
    """MPI operator v0.8, newWorker in pkg/controller/mpi_job_controller.go. Its mpirun starts JUDGE_RANK on each worker, by sshd."""
    name, replicas = job["metadata"]["name"], job["spec"]["mpiReplicaSpecs"]
    rank = expanded(replicas["Launcher"]["template"]["spec"]["containers"][0]["command"][-1], {})
    for i in range(replicas["Worker"]["replicas"]):
        labels = {"training.kubeflow.org/job-name": name, "training.kubeflow.org/replica-index": str(i)}
        yield Pod(f"{name}-worker-{i}", replicas["Worker"]["template"], {"K_MPI_JOB_ROLE": "worker", "JUDGE_RANK": rank}, labels, rank=i)


def of_volcano(job):
    """Volcano v1.15: plugins env and svc, where the job has them."""
    name, tasks, plugins = job["metadata"]["name"], job["spec"]["tasks"], job["spec"].get("plugins", {})
    env = {}
    for task in tasks if "svc" in plugins else ():
        word = task["name"].upper().replace("-", "_")
        hosts = ",".join(f"{name}-{task['name']}-{i}.{name}" for i in range(task.get("replicas", 1)))
        env.update({f"VC_{word}_HOSTS": hosts, f"VC_{word}_NUM": str(task.get("replicas", 1))})
    for task in tasks:
        for i in range(task.get("replicas", 1)):
            notes = {"volcano.sh/job-name": name, "volcano.sh/job-retry-count": "0"}
            index = {"VC_TASK_INDEX": str(i), "VK_TASK_INDEX": str(i)} if "env" in plugins else {}
            yield Pod(f"{name}-{task['name']}-{i}", task["template"], {**env, **index}, notes, notes, i, task["name"])


def started_by_kuberay(template):
    """KubeRay gives a container its command, unless the pod says that it keeps its own."""
    changed = copy.deepcopy(template)
    if changed.get("metadata", {}).get("annotations", {}).get("ray.io/overwrite-container-cmd") != "true":
        changed["spec"]["containers"][0]["command"] = ["/bin/bash", "-c", "$KUBERAY_GEN_RAY_START_CMD"]
    return changed


def of_ray(document):
    """KubeRay v1.7: the start command in a variable where the container keeps its own."""
    name, spec = document["metadata"]["name"], document["spec"]
    cluster = spec.get("rayClusterSpec") or spec.get("rayClusterConfig") or spec
    head = {"RAY_CLUSTER_NAME": name, "RAY_ADDRESS": "127.0.0.1:6379", "KUBERAY_GEN_RAY_START_CMD": "ray start --head --block"}
    yield Pod(f"{name}-head", started_by_kuberay(cluster["headGroupSpec"]["template"]), head, {"ray.io/node-type": "head", "ray.io/cluster": name})
    for group in cluster.get("workerGroupSpecs", []):
        for i in range(max(group.get("replicas", 0), group.get("minReplicas", 0)) * group.get("numOfHosts", 1)):
            service = f"{name}-head-svc.default.svc.cluster.local"
            env = {"RAY_CLUSTER_NAME": name, "FQ_RAY_IP": service, "RAY_IP": f"{name}-head-svc", "RAY_ADDRESS": f"{service}:6379",
                   "KUBERAY_GEN_RAY_START_CMD": f"ray start --address={service}:6379 --block"}
            yield Pod(f"{name}-worker-{i}", started_by_kuberay(group["template"]), env, {"ray.io/node-type": "worker", "ray.io/cluster": name}, rank=i + 1)


def of_lws(document):
    """LeaderWorkerSet v0.10: its own variables and labels (pkg/utils/pod)."""
    name, group = document["metadata"]["name"], document["spec"]["leaderWorkerTemplate"]
    for g in range(document["spec"].get("replicas", 1)):
        for w in range(group.get("size", 1)):
            labels = {"leaderworkerset.sigs.k8s.io/group-index": str(g), "leaderworkerset.sigs.k8s.io/group-key": f"key-{g}"}
            env = {"LWS_LEADER_ADDRESS": f"{name}-{g}.{name}.default", "LWS_GROUP_SIZE": str(group["size"]), "LWS_WORKER_INDEX": str(w)}
            yield Pod(f"{name}-{g}" + (f"-{w}" if w else ""), group["workerTemplate" if w else "leaderTemplate" if "leaderTemplate" in group else "workerTemplate"], env, labels, rank=w)


def of_other(document):
    template = document if document["kind"] == "Pod" else document["spec"]["template"]
    yield Pod(document["metadata"]["name"], template)


OPERATORS = {("batch/v1", "Job"): of_job, ("jobset.x-k8s.io/v1alpha2", "JobSet"): of_jobset, ("trainer.kubeflow.org/v1alpha1", "TrainJob"): of_trainjob,
             ("kubeflow.org/v1", "PyTorchJob"): of_pytorchjob, ("kubeflow.org/v2beta1", "MPIJob"): of_mpijob, ("batch.volcano.sh/v1alpha1", "Job"): of_volcano, ("ray.io/v1", "RayJob"): of_ray,
             ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"): of_lws,
             ("ray.io/v1", "RayCluster"): of_ray, ("ray.io/v1", "RayService"): of_ray, ("v1", "Pod"): of_other, ("apps/v1", "Deployment"): of_other,
             ("apps/v1", "StatefulSet"): of_other}


def with_runtime(job, documents):
    """A TrainJob with its runtime, where the file has that."""
    name = job["spec"]["runtimeRef"]["name"]
    return next(({**job, "runtime": each} for each in documents if each["kind"] == "TrainingRuntime" and each["metadata"]["name"] == name), job)


def pods_of(manifest):
    found = []
    for document in manifest.documents:
        if document["kind"] == "TrainJob":
            document = with_runtime(document, manifest.documents)
        maker = OPERATORS.get((document["apiVersion"], document["kind"]))
        found += maker(document) if maker else []
    return found


def is_ray(manifest):
    return bool(manifest.of_kind("RayJob", "RayCluster", "RayService"))


# ---- what the kubelet does ---------------------------------------------------------------------

def expanded(text, env):
    """`$(NAME)` as Kubernetes replaces it in command, args and env: `$$` is a `$`, unknown names stay."""
    def value(match):
        return "$" if match[0] == "$$" else env.get(match[1], match[0])
    return re.sub(r"\$\$|\$\(([^)]*)\)", value, text)


def field(pod, path, number):
    match = re.fullmatch(r"metadata\.(labels|annotations)\['(.+)'\]", path)
    if match:
        given = {**pod.template.get("metadata", {}).get(match[1], {}), **getattr(pod, match[1])}
        return given.get(match[2], "")
    return {"status.podIP": f"10.0.0.{number + 1}", "metadata.name": pod.name, "metadata.namespace": "default"}.get(path, path)


def environment(pod, number):
    """The container's variables in order; those that the operator adds come last and win. LeaderWorkerSet puts its own in front, where others may name them."""
    env, first = {}, {name: value for name, value in pod.env.items() if name.startswith("LWS_")}
    for item in pod.container.get("env", []):
        source = item.get("valueFrom", {})
        if "fieldRef" in source:
            env[item["name"]] = field(pod, source["fieldRef"]["fieldPath"], number)
        elif "secretKeyRef" in source:
            env[item["name"]] = f"secret {source['secretKeyRef']['name']}/{source['secretKeyRef']['key']}"
        else:
            env[item["name"]] = expanded(item.get("value", ""), {**first, **env})
    return {**env, **pod.env}


def mount(manifest, pod, root):
    """The files of ConfigMaps below `root`; every other volume is an empty folder."""
    volumes = {volume["name"]: volume for volume in pod.template["spec"].get("volumes", [])}
    for place in pod.container.get("volumeMounts", []):
        folder = root / place["mountPath"].lstrip("/")
        if "subPath" in place:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        volume = volumes[place["name"]]
        sources = volume.get("projected", {}).get("sources", []) + ([{"configMap": volume["configMap"]}] if "configMap" in volume else [])
        for source in (s["configMap"] for s in sources if "configMap" in s):
            data = manifest.config(source["name"])
            for item in source.get("items") or [{"key": key, "path": key} for key in data]:
                (folder / item["path"]).parent.mkdir(parents=True, exist_ok=True)
                (folder / item["path"]).write_bytes(data[item["key"]].encode())


class Machine:
    """Runs containers: `/job` and `/job-tmp` are folders of the judge's, put into the texts that muster wrote."""

    def __init__(self, folder):
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True, exist_ok=True)
        for name in STUBS:
            (self.bin / name).write_text(STUB)
            (self.bin / name).chmod(0o755)
        (self.bin / "sshd").write_text(SSHD)
        (self.bin / "sshd").chmod(0o755)

    def placed(self, text, root):
        text = text.replace("/usr/sbin/sshd", str(self.bin / "sshd"))
        return re.sub(r"(?<![\w.-])/job(-tmp)?(?=[/\" ]|$)", lambda m: str(root) + m[0], text, flags=re.M)

    def records(self):
        """What the stubs saw, in the order of their start; bytes that are no UTF-8 as surrogates."""
        found = []
        for path in sorted((self.folder / "records").glob("*.argv")):
            argv = os.fsdecode(path.read_bytes()).split("\0")[:-1]
            pairs = os.fsdecode(path.with_suffix(".env").read_bytes()).split("\0")[:-1]
            found.append({"name": argv[0], "argv": argv[1:], "env": dict(pair.split("=", 1) for pair in pairs)})
        return found

    def clear(self):
        shutil.rmtree(self.folder / "records", ignore_errors=True)
        (self.folder / "records").mkdir()

    def run(self, manifest, pod, number, command=None, extra=None):
        """The ended process and what the stubs wrote down. `command`: instead of the container's own."""
        self.clear()
        root = self.folder / f"root{number}"
        shutil.rmtree(root, ignore_errors=True)
        mount(manifest, pod, root)
        for path in root.glob("job/*"):
            if path.name in ("start", "program") and path.is_file():
                path.write_bytes(self.placed(path.read_bytes().decode(), root).encode())
        env = {**environment(pod, number), **(extra or {})}
        if "JUDGE_RANK" in env:
            env["JUDGE_RANK"] = self.placed(env["JUDGE_RANK"], root)
        words = command or [expanded(word, env) for word in [*pod.container["command"], *pod.container.get("args", [])]]
        own = 2 if words[:2] == ["/bin/sh", "-c"] else None  # muster's own lines
        words = [self.placed(word, root) if re.match("/job(-tmp)?(/|$)", word) or "/job/start" in word or i == own else word for i, word in enumerate(words)]
        return self.start(words, env, root), self.records()

    def start_entrypoint(self, manifest, env):
        """Ray's JobSupervisor: the entrypoint of the job in a shell on the head."""
        root = self.folder / "root0"
        return self.start(["/bin/sh", "-c", self.placed(manifest.of_kind("RayJob")[0]["spec"]["entrypoint"], root)], env, root)

    def start(self, words, env, root):
        (root / "job-tmp").mkdir(parents=True, exist_ok=True)
        base = {"PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(root), "JUDGE_RECORDS": str(self.folder / "records")}
        process = subprocess.Popen(words, env={**env, **base}, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, errors="surrogateescape", start_new_session=True)
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            out, err = "", "no end after 60 s"
        try:  # a timer that outlives the program would outlive the container nowhere else
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return subprocess.CompletedProcess(words, process.returncode, out, err)


def with_folder(pod, root):
    """A container whose working folder is not there on this machine runs in the judge's."""
    changed = copy.deepcopy(pod)
    changed.container.pop("workingDir", None)
    if changed.container.get("command", [""])[-1].startswith('cd "$0"'):
        changed.container["args"][0] = "/"
    elif changed.container.get("command", [])[:2] == ["/bin/sh", "-c"]:
        changed.container["command"][2] = re.sub(r"\Acd .* \|\| exit\n", "", changed.container["command"][2])
    return changed


def read(path):
    return Manifest(pathlib.Path(path))

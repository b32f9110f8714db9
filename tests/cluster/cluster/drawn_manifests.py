"""Manifests as people write them, drawn from a seed: plain dictionaries of every kind that muster reads, with one or more
templates of pods. Nothing here asks muster, nor knows how it writes its own files."""
import copy
import dataclasses

import yaml

GPU = "nvidia.com/gpu"
KINDS = ("job", "indexed-job", "jobset", "pytorchjob", "trainjob", "mpijob", "rayjob", "raycluster", "lws", "volcano-job", "deployment", "statefulset", "pod", "grouped-job")
SCHEDULED_BY_VOLCANO = ("volcano-job", "grouped-job")
ADDED = {"rayjob": 1}  # pods that an operator adds to those of the templates: the one that submits


@dataclasses.dataclass
class Part:
    """Pods that are alike: of one template."""
    role: str
    pods: int
    gpus: int
    millis: int  # of CPU
    memory: int  # MiB
    resource: str = GPU
    selector: dict = dataclasses.field(default_factory=dict)
    tolerates: bool = True
    taints: tuple = (GPU,)  # the keys of what it tolerates, if it does
    affinity: bool = False  # the selector is written as a node affinity
    beside: int = 0  # thousandths of a CPU of a second container
    before: int = 0  # the same of an init container
    sidecar: int = 0  # the same of an init container that stays


@dataclasses.dataclass
class Drawn:
    kind: str
    name: str
    parts: list
    queue: str = ""  # of Kueue, by label; of Volcano, by field
    groups: int = 1  # of a LeaderWorkerSet
    few: int = 0  # Volcano may start with so many; 0: with all
    spare: int = 0  # how far `parallelism` is above `completions`
    command: tuple = ("python3", "train.py")

    @property
    def size(self):
        """All pods that are up when all of it runs."""
        return sum(part.pods for part in self.parts) * self.groups + ADDED.get(self.kind, 0)

    @property
    def is_loose(self):
        """Whether its pods start one by one, each of use without the others."""
        return self.kind in ("job", "indexed-job") and not self.queue and self.command[0] != "torchrun"

    @property
    def may_start_in_part(self):
        """Whether nothing makes its pods start together."""
        return self.is_loose or (not self.queue and (self.kind in ("rayjob", "raycluster") or (self.kind == "jobset" and self.command[0] != "torchrun")))

    def changed(self, part, **words):
        """The same with other amounts of one part."""
        other = copy.deepcopy(self)
        other.parts[part] = dataclasses.replace(other.parts[part], **words)
        return other

    def text(self):
        return yaml.safe_dump_all(documents(self), sort_keys=False)

    def __str__(self):
        said = "; ".join(f"{part.role} {part.pods}x({part.gpus} {part.resource.split('/')[-1]}, {part.millis + part.beside + part.sidecar}m, {part.memory}Mi)" for part in self.parts)
        return f"{self.kind} {self.name} [{said}] x {self.groups}{f' at least {self.few}' if self.few else ''}{' in ' + self.queue if self.queue else ''}"


# ---- what is drawn ---------------------------------------------------------------------------

def near(dice, most):
    """Mostly a number at the edge."""
    return max(1, dice.choice((1, most // 2, most - 1, most, most, most + 1, dice.randint(1, max(most, 1)))))


def quantity(millis):
    return str(millis // 1000) if millis % 1000 == 0 else f"{millis}m"


def draw_part(dice, pools, role):
    """Pods for one of the pools, mostly with GPUs, at the edge of what it has."""
    pool = dice.choice([pool for pool in pools if pool.gpus or pool.slices or dice.random() < 0.3])
    if pool.slices:
        each, most, resource = 1, pool.nodes * pool.slices, pool.resource
    else:
        sizes = [size for size in (1, 2, 4, 8) if size <= pool.gpus]
        each, resource = (dice.choice(sizes + sizes[-1:]) if sizes else 0), pool.resource
        most = pool.nodes * (pool.gpus // each) if each else pool.nodes * 2
    room = max(pool.gpus // each if each else 2, 1)
    fair = max(pool.cpus // max(pool.slices, room), 1)
    millis = 1000 * dice.choice((1, 2, max(fair - 1, 1), fair, fair, fair + 1)) + dice.choice((0, 0, 0, 500))
    memory = dice.choice((1024, 4096, 16384, pool.memory // max(pool.slices, room) // 2, pool.memory // max(pool.slices, room)))
    part = Part(role, min(near(dice, most), 12), each, millis, memory, resource)
    if each and dice.random() < 0.6:
        part.selector, part.affinity = dict(pool.label), dice.random() < 0.3
    part.tolerates = bool(each) if dice.random() < 0.9 else not each
    if dice.random() < 0.3 and millis > 1000:
        part.beside, part.millis = dice.choice((250, 500, 1000)), millis - 1000
    if dice.random() < 0.2:
        part.before = dice.choice((100, 2000, 1000 * pool.cpus // 2))
    if dice.random() < 0.15:
        part.sidecar = dice.choice((100, 500))
    return part


def draw(dice, pools, name, queue, kind):
    """`pools`: what a cluster has. `queue`: the name of its queue."""
    main = draw_part(dice, pools, "worker")
    without = any(not pool.gpus and not pool.slices for pool in pools)
    small = Part("launcher", 1, 0, dice.choice((500, 1000, 2000)), 2048, tolerates=dice.random() < (0.3 if without else 0.8))
    found = Drawn(kind, name, [main], command=dice.choice((("python3", "train.py"), ("torchrun", "--nproc-per-node=2", "train.py"))))
    if kind in ("jobset", "volcano-job") and dice.random() < 0.4:
        found.parts = [dataclasses.replace(draw_part(dice, pools, "lead"), pods=1), main]
    elif kind == "pytorchjob":
        found.parts = [dataclasses.replace(main, role="Master", pods=1), dataclasses.replace(main, role="Worker", pods=max(main.pods - 1, 1))]
    elif kind == "mpijob":
        found.parts = [dataclasses.replace(small, role="Launcher"), dataclasses.replace(main, role="Worker")]
    elif kind in ("rayjob", "raycluster"):
        found.parts = [dataclasses.replace(small, role="head"), main]
    elif kind == "trainjob":
        main.beside = main.before = main.sidecar = 0
    elif kind == "pod":
        main.pods = 1
    elif kind == "lws" and main.pods > 1:
        found.groups = dice.choice([count for count in (1, 2, 3) if main.pods % count == 0])
        main.pods //= found.groups
    if kind in SCHEDULED_BY_VOLCANO or dice.random() < 0.6:
        found.queue = queue
    if kind in ("job", "indexed-job"):
        found.spare = dice.choice((0, 0, 3))
    if kind == "volcano-job" and len(found.parts) == 1 and main.pods > 1 and dice.random() < 0.25:
        found.few = dice.randint(1, main.pods - 1)
    return found


# ---- how it is written -----------------------------------------------------------------------

def container(name, millis, memory, part, gpus, command):
    requests = {"cpu": quantity(millis), "memory": f"{memory}Mi"}
    limits = {part.resource: gpus} if gpus else {}
    if part.gpus % 2:
        limits["memory"] = requests["memory"]  # some write limits of memory too
    return {"name": name, "image": "registry.example/train:1.4", "command": list(command), "resources": {"requests": requests, **({"limits": limits} if limits else {})}}


def pod_spec(part, command=("python3", "train.py"), name="main", restart="Never"):
    spec = {"restartPolicy": restart} if restart else {}
    if part.selector and part.affinity:
        terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]} for key, value in part.selector.items()]}]
        spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    elif part.selector:
        spec["nodeSelector"] = dict(part.selector)
    if part.tolerates:
        spec["tolerations"] = [{"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in part.taints]
    early = []
    if part.before:
        early.append({"name": "fetch", "image": "registry.example/fetch:2", "command": ["fetch"], "resources": {"requests": {"cpu": quantity(part.before)}}})
    if part.sidecar:
        early.append({"name": "proxy", "image": "registry.example/proxy:2", "restartPolicy": "Always", "resources": {"requests": {"cpu": quantity(part.sidecar)}}})
    if early:
        spec["initContainers"] = early
    spec["containers"] = [container(name, part.millis, part.memory, part, part.gpus, command)]
    if part.beside:
        spec["containers"].append({"name": "metrics", "image": "registry.example/metrics:3", "resources": {"requests": {"cpu": quantity(part.beside)}}})
    return spec


def job_spec(part, command, spare=0, indexed=False, name="main"):
    return {**({"completionMode": "Indexed"} if indexed else {}), "parallelism": part.pods + spare, "completions": part.pods, "backoffLimit": 0,
            "template": {"spec": pod_spec(part, command, name)}}


def replicated(part, command):
    """A replicated job of a JobSet: every second has several jobs of one pod, the others one job of several."""
    by_jobs = part.pods % 2 == 0
    alone = dataclasses.replace(part, pods=1 if by_jobs else part.pods)
    return {"name": part.role, "replicas": part.pods if by_jobs else 1, "template": {"spec": job_spec(alone, command)}}


def ray_spec(drawn):
    head, *workers = drawn.parts
    ports = {"rayStartParams": {}}
    groups = [{"groupName": part.role, "replicas": part.pods, "minReplicas": part.pods, "maxReplicas": part.pods, **ports,
               "template": {"spec": pod_spec(part, ("ray", "start"), "ray-worker", "")}} for part in workers]
    return {"rayVersion": "2.49.0", "headGroupSpec": {**ports, "template": {"spec": pod_spec(head, ("ray", "start"), "ray-head", "")}}, "workerGroupSpecs": groups}


def service_spec(drawn, **more):
    part = drawn.parts[0]
    mark = {"app": drawn.name}
    return {"replicas": part.pods, "selector": {"matchLabels": mark}, "template": {"metadata": {"labels": mark}, "spec": pod_spec(part, ("vllm", "serve"), restart="Always")}, **more}


def replicas_of(drawn, name, launcher_restart="Never"):
    return {part.role: {"replicas": part.pods, "restartPolicy": launcher_restart, "template": {"spec": pod_spec(part, drawn.command, name, "")}} for part in drawn.parts}


def body(drawn):
    """apiVersion, kind and the rest of the object but its metadata."""
    part, kind = drawn.parts[-1], drawn.kind
    if kind == "pod":
        return "v1", "Pod", {"spec": pod_spec(part, drawn.command)}
    if kind in ("job", "indexed-job"):
        return "batch/v1", "Job", {"spec": job_spec(part, drawn.command, drawn.spare, kind == "indexed-job")}
    if kind == "grouped-job":
        spec = job_spec(part, drawn.command)
        spec["template"]["metadata"] = {"annotations": {"scheduling.k8s.io/group-name": drawn.name}}
        spec["template"]["spec"]["schedulerName"] = "volcano"
        return "batch/v1", "Job", {"spec": spec}
    if kind == "jobset":
        return "jobset.x-k8s.io/v1alpha2", "JobSet", {"spec": {"replicatedJobs": [replicated(each, drawn.command) for each in drawn.parts]}}
    if kind == "pytorchjob":
        return "kubeflow.org/v1", "PyTorchJob", {"spec": {"pytorchReplicaSpecs": replicas_of(drawn, "pytorch")}}
    if kind == "mpijob":
        return "kubeflow.org/v2beta1", "MPIJob", {"spec": {"slotsPerWorker": max(part.gpus, 1), "mpiReplicaSpecs": replicas_of(drawn, "mpi")}}
    if kind == "trainjob":
        return "trainer.kubeflow.org/v1alpha1", "TrainJob", {"spec": trainer_spec(part)}
    if kind == "raycluster":
        return "ray.io/v1", "RayCluster", {"spec": ray_spec(drawn)}
    if kind == "rayjob":
        return "ray.io/v1", "RayJob", {"spec": {"entrypoint": "python train.py", "shutdownAfterJobFinishes": True, "rayClusterSpec": ray_spec(drawn)}}
    if kind == "lws":
        return "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {"spec": {"replicas": drawn.groups, "leaderWorkerTemplate": {
            "size": part.pods, "workerTemplate": {"spec": pod_spec(part, ("vllm", "serve"), restart="")}}}}
    if kind == "deployment":
        return "apps/v1", "Deployment", {"spec": service_spec(drawn)}
    if kind == "statefulset":
        return "apps/v1", "StatefulSet", {"spec": service_spec(drawn, serviceName=drawn.name, podManagementPolicy="Parallel" if part.pods % 2 else "OrderedReady")}
    tasks = [{"name": each.role, "replicas": each.pods, "template": {"spec": pod_spec(each, drawn.command)}} for each in drawn.parts]
    return "batch.volcano.sh/v1alpha1", "Job", {"spec": {"schedulerName": "volcano", "queue": drawn.queue, "minAvailable": drawn.few or drawn.size, "tasks": tasks}}


def trainer_spec(part):
    requests = {"cpu": quantity(part.millis), "memory": f"{part.memory}Mi", **({part.resource: part.gpus} if part.gpus else {})}
    limits = {"limits": {part.resource: part.gpus}} if part.gpus else {}
    pods = pod_spec(part)
    chosen = {key: pods[key] for key in ("nodeSelector", "tolerations", "affinity") if key in pods}
    patches = [{"manager": "team.example.com/placement", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [
        {"name": "node", "template": {"spec": {"template": {"spec": chosen}}}}]}}}}]
    return {"runtimeRef": {"name": "torch-distributed"}, "trainer": {"numNodes": part.pods, "image": "registry.example/train:1.4", "command": ["torchrun", "train.py"],
                                                                     "resourcesPerNode": {"requests": requests, **limits}}, **({"runtimePatches": patches} if chosen else {})}


def documents(drawn):
    version, kind, rest = body(drawn)
    labels = {"team": "vision"}
    if drawn.queue and drawn.kind not in SCHEDULED_BY_VOLCANO:
        labels["kueue.x-k8s.io/queue-name"] = drawn.queue
    found = [{"apiVersion": version, "kind": kind, "metadata": {"name": drawn.name, "namespace": "NAMESPACE", "labels": labels}, **rest}]
    if drawn.kind == "grouped-job":
        found.insert(0, {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": drawn.name, "namespace": "NAMESPACE"},
                         "spec": {"minMember": drawn.size, "queue": drawn.queue}})
    return found

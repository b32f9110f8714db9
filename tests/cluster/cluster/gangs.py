"""Gangs as muster writes them, on nodes of their own: one cell for each kind, provider and scenario."""
from . import nodes, pods, queues
from .fleet import Site

LEVEL = "example.com/leaf"
GPU = "nvidia.com/gpu"
GPUS, CPUS, MEMORY = 8, 7, "64GiB"  # of a pod, unless a scenario says otherwise; eight such pods have room on a node

# Who starts gangs: the value of `gang`, and whether nodes are assigned by the queue or by levels of the scheduler.
PROVIDERS = {"kueue": ("kueue", False), "kueue-topology": ("kueue", True), "volcano": ("volcano", False), "kai": ("kai", False)}

SITE = """fleet f {{
  pool h100 {{
    nodes     = "{hosts}"
    leaf-size = {leaf}
    gpu       {{ model = h100  memory = 80GB  count = 8 }}
    node      {{ cpus = 64  memory = 1TB  reserve-cpus = 0  reserve-memory = 0B }}
    {in_use}
  }}
  pool cpu {{
    nodes = "cpu1"
    node  {{ cpus = 32  memory = 256GB  reserve-cpus = 0  reserve-memory = 0B }}
    {in_use_cpu}
  }}
}}
site cell {{
  fleet = f
  plane main {{
    kind          = kubernetes
    version       = "1.36"
    namespace     = "{space}"
    gang          = {gang}
    training-kind = {kind}
    {operators}
    {level}
    {request}
  }}
  queue main {{ name = "{queue}"  default = true }}
  {quota}
  gpu h100   {{ label = "{product}" }}
  priority high {{ class = "cell-high"{queue_class} }}
  priority low  {{ class = "cell-low"{queue_class_low} }}
  software any {{ image = "registry.example/any:1" }}
}}
"""

OPERATORS = {"kai": "0.12", "training-operator": "1.9", "trainer": "2.3", "jobset": "0.12", "kuberay": "1.6", "lws": "0.9", "mpi-operator": "0.8"}

# Of each kind: the target, and what a workload of it says besides.
KINDS = {
    "job": ("kubernetes", 'kind = train  time-limit = {limit}  command = ["python3", "train.py"]'),
    "jobset": ("jobset", 'kind = train  time-limit = {limit}  command = ["python3", "train.py"]'),
    "pytorchjob": ("pytorchjob", 'kind = train  time-limit = {limit}  launch {{ runner = torchrun }}  command = ["train.py"]'),
    "trainjob": ("trainjob", 'kind = train  time-limit = {limit}  launch {{ runner = torchrun }}  command = ["train.py"]'),
    "mpijob": ("mpijob", 'kind = mpi  time-limit = {limit}  launch {{ runner = mpi  processes = 8 }}  command = ["lmp_mpi"]'),
    "rayjob": ("kuberay", 'kind = rl  time-limit = {limit}  launch {{ runner = ray  version = "2.49" }}  command = ["python3", "grpo.py"]'),
    "volcano-job": ("volcano", 'kind = train  time-limit = {limit}  command = ["python3", "train.py"]'),
    "lws": ("lws", 'kind = serve  port http {{ number = 8000 }}  command = ["vllm", "serve"]'),
}


def make_priorities(api, of_kueue):
    """The priorities that the sites of all cells name."""
    for name, value in (("cell-high", 1000), ("cell-low", 10)):
        queues.priority(api, name, value)
        if of_kueue:
            api.ensure({"apiVersion": queues.KUEUE, "kind": "WorkloadPriorityClass", "metadata": {"name": name}, "value": value})


class Cell:
    """Nodes, a queue and a namespace that one scenario has to itself."""

    def __init__(self, lab, kind, provider, scenario, count=4):
        self.lab, self.kind, self.provider, self.scenario, self.count = lab, kind, provider, scenario, count
        self.label = f"{kind} on {provider}: {scenario}"
        self.gang, self.topology = PROVIDERS[provider]
        self.target = KINDS[kind][0]
        self.leaf = count
        self.fresh()

    def fresh(self):
        """As it was before anything was opened, under a name that nothing had yet."""
        self.name = self.lab.space_name("g")
        self.folder = self.lab.folder / "cells" / self.name
        self.folder.mkdir(parents=True)
        self.space = self.lab.space(self.name)
        self.machines, self.detail = [], ""
        self.pretended = 0  # nodes that the site declares and the cluster lacks
        self.near = self.topology  # whether the plane labels leaves
        self.by_claim = False  # whether GPUs are asked for by claims
        self.other_nodes = True  # whether there is a node without GPUs
        self.unlisted = False  # whether the site's file names no operators, nor their flags
        return self

    @property
    def api(self):
        return self.lab.api

    # ---- what there is -----------------------------------------------------------------------

    def site_text(self, in_use="", in_use_cpu="", gpus=None):
        """The site's file. `gpus`: so many GPUs are left of the quota."""
        operators = "".join(f'operator {name} {{ version = "{version}"{self.flags(name)} }}\n    ' for name, version in OPERATORS.items() if self.is_listed(name))
        tier = "  tier = 1" if self.gang == "volcano" else ""
        level = f'level leaf {{ label = "{LEVEL}"{tier} }}' if self.near else ""
        request = "gpu-request = dra" if self.by_claim else ""
        training = {"volcano-job": "volcano"}.get(self.kind, self.kind if self.kind in ("pytorchjob", "trainjob") else "jobset")
        queue_class = ('  queue-class = "cell-high"', '  queue-class = "cell-low"') if self.gang == "kueue" else ("", "")
        quota = "" if gpus is None else f'tenant cell {{ namespace = "{self.name}"  quota h100 {{ gpus = {gpus} }} }}'
        return SITE.format(quota=quota, in_use_cpu=in_use_cpu, hosts=f"n[1-{self.count + self.pretended}]", leaf=max(self.leaf, 2), in_use=in_use, space=self.name, gang=self.gang, kind=training, operators=operators, level=level, request=request,
                           queue=self.name, product=self.name, queue_class=queue_class[0], queue_class_low=queue_class[1])

    def is_listed(self, operator):
        return not self.unlisted and (operator not in PROVIDERS or operator == self.gang)

    def flags(self, operator):
        wanted = {"volcano": {"training-operator": "--gang-scheduler-name=volcano", "kuberay": "--batch-scheduler=volcano"}, "kai": {"kuberay": "--batch-scheduler=kai-scheduler"}}
        flag = wanted.get(self.gang, {}).get(operator)
        return f'  flags = ["{flag}"]' if flag else ""

    def open(self, labels=None, gpus=None):
        """Makes nodes, queues and the namespace. `gpus`: a quota of so many, where the nodes have more."""
        self.site = self.folder / "site.muster"
        self.site.write_text(self.site_text())
        absent = {f"cell-n{self.count + 1}", *(() if self.other_nodes else ("cell-cpu1",))}
        self.machines = [node for node in Site(self.lab.muster, self.site, exact=True).nodes() if node["name"] not in absent]
        for machine in self.machines:
            machine["name"] = f"{self.name}-{machine['name']}"
            machine["labels"]["cell"] = self.name
            if not queues.product(machine):  # a flavor of its own, as a cloud labels it
                machine["labels"]["node.kubernetes.io/instance-type"] = f"{self.name}-cpu"
            if LEVEL in machine["labels"]:
                machine["labels"][LEVEL] = f"{self.name}-{machine['labels'][LEVEL]}"
        nodes.make(self.api, self.machines)
        queues.namespace(self.api, self.name, labels, {"cell": self.name})
        if self.gang == "kueue":
            queues.cluster_queue(self.api, self.name, self.machines, LEVEL if self.topology else None, limits={} if gpus is None else {GPU: gpus}, preemption={"withinClusterQueue": "LowerPriority"})
            queues.local_queue(self.api, self.name, self.name, self.name)
        elif self.gang == "kai":
            queues.kai_queue(self.api, self.name)
            if self.near:
                queues.kai_topology(self.api, "main", LEVEL)
        else:
            queues.volcano_queue(self.api, self.name, **({} if gpus is None else {"capability": {GPU: str(gpus)}}))
            if self.near:
                queues.hyper_nodes(self.api, self.machines, LEVEL)
        if self.by_claim:
            queues.devices(self.api, self.machines)
        return self

    def close(self):
        self.space.clear()
        if self.gang == "kueue":
            queues.remove_cluster_queue(self.api, self.name)
        for machine in self.machines:
            self.api.delete(f"/api/v1/nodes/{machine['name']}")
            for path in self.beside(machine):
                self.api.delete(path)

    def beside(self, machine):
        """What was made for a node besides."""
        if self.near and self.gang == "volcano":
            yield f"/apis/topology.volcano.sh/v1alpha1/hypernodes/{machine['labels'].get(LEVEL)}"
        if self.by_claim:
            yield f"/apis/resource.k8s.io/v1/resourceslices/{machine['name']}"

    # ---- gangs ---------------------------------------------------------------------------------

    def write(self, name, count, limit="1h", more="", roles="", gpus=GPUS):
        body = KINDS[self.kind][1].format(limit=limit)
        shape = roles or f"resources {{ nodes = {count}  gpus = {gpus}  gpu = h100  cpus = {CPUS}  memory = {MEMORY} }}"
        spec = self.folder / f"{name}.muster"
        spec.write_text(f"workload {name} {{\n  {body}\n  {shape}\n  software = any\n  {more}\n}}\n")
        return spec

    def documents(self, name, count, **words):
        """What muster writes for a gang; LookupError if it refuses."""
        found, said = self.lab.compile(self.write(name, count, **words), self.site, self.target)
        if found is None:
            raise LookupError(said)
        return found

    def submit(self, name, count, **words):
        self.lab.create(self.documents(name, count, **words), self.name)

    def occupy(self, count=1, machine=0):
        """A pod outside of all queues holds GPUs of a node."""
        held = {"nvidia.com/gpu": str(count)}
        self.api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"outside-{machine}", "namespace": self.name},
                         "spec": {"nodeName": self.machines[machine]["name"], "tolerations": [{"operator": "Exists"}],
                                  "containers": [{"name": "main", "image": "any", "resources": {"limits": held, "requests": held}}]}})
        self.space.until(lambda: any(pod["metadata"]["name"] == f"outside-{machine}" for pod in self.space.running()), 10)

    # ---- what is seen ---------------------------------------------------------------------------

    def of(self, name):
        """The gang's pods that hold GPUs."""
        return [pod for pod in self.space.pods() if belongs(pod, name) and (pods.gpus(pod) or pod["spec"].get("resourceClaims"))]

    def running(self, name):
        return [pod for pod in self.of(name) if pods.state(pod) == "Running"]

    def leaf_of(self, pod):
        """The leaf of the node that a pod is on."""
        return next(machine["labels"].get(LEVEL) for machine in self.machines if machine["name"] == pod["spec"]["nodeName"])

    def leaves(self, name):
        """The leaves on which a gang runs."""
        return {self.leaf_of(pod) for pod in self.running(name)}

    def starts(self, name, size, seconds=60):
        """Whether the whole gang runs before long."""
        return bool(self.space.until(lambda: len(self.running(name)) == size, seconds))

    def share(self, name, size, seconds=20):
        """How much of a gang runs once the cluster has decided: `whole`, `nothing` or `part`."""
        self.space.until(self.is_decided, 30)
        if self.starts(name, size, 3):
            return "whole"
        self.space.settle(quiet=4.0, limit=seconds)
        running = len(self.running(name))
        return "whole" if running == size else "part" if running else "nothing"

    def is_decided(self):
        """Whether the queue has looked at all that is in it."""
        if self.gang != "kueue":
            return bool(self.space.pods())
        held = self.space.held("workloads")
        return bool(held) and all(any(c["type"] == "QuotaReserved" for c in (thing.get("status") or {}).get("conditions") or []) for thing in held)

    def objects(self):
        """The top objects of the gangs."""
        return self.api.items(self.path)

    @property
    def path(self):
        group, plural = {"job": ("batch/v1", "jobs"), "volcano-job": ("batch.volcano.sh/v1alpha1", "jobs"), "lws": ("leaderworkerset.x-k8s.io/v1", "leaderworkersets")}.get(
            self.kind, (pods.GROUPS.get(f"{self.kind}s"), f"{self.kind}s"))
        return f"/apis/{group}/namespaces/{self.name}/{plural}"

    def delete(self, name):
        """Deletes the objects of a gang."""
        for thing in self.objects():
            if belongs(thing, name):
                self.api.delete(f"{self.path}/{thing['metadata']['name']}")

    def has_failed(self):
        def failed(thing):
            status = thing.get("status") or {}
            return bool({"Failed", "FailureTarget"} & pods.conditions(thing)) or (status.get("state") or {}).get("phase") in ("Failed", "Aborted", "Terminated") \
                or status.get("jobStatus") == "FAILED" or status.get("jobDeploymentStatus") == "Failed"
        found = self.objects()
        return bool(found) and all(failed(thing) for thing in found)

    def why(self):
        """What the cluster says of objects that do not run."""
        said = [f"{thing['metadata']['name']} {pods.conditions(thing)} {pods.why(thing)}" for thing in [*self.space.held("workloads"), *self.space.held("podgroups")]]
        said += [f"{thing['metadata']['name']} {(thing.get('status') or {}).get('state')}" for thing in self.objects()]
        said += [f"{event['involvedObject']['name']}: {event['reason']} {event.get('message', '')[:80]}" for event in self.space.core("events") if event["type"] == "Warning"][-6:]
        return "; ".join(said) or "; ".join(f"{pod['metadata']['name']} {pods.state(pod)} {pods.why(pod)}" for pod in self.space.pods()) or "no pods"


def belongs(thing, name):
    """Whether an object or a pod is of the workload of this name."""
    return f"{thing['metadata']['name']}-".startswith(f"{name}-")

"""The nodes of a site, as the agents of a real cluster label them, and what its file says besides."""
import json
import pathlib
import re
import subprocess

# What GPU feature discovery, or the cloud, writes on a node with GPUs of this model. (model, memory in GB): label and value.
LABELS = {
    "gfd": ("nvidia.com/gpu.product", {("h100", 80): "NVIDIA-H100-80GB-HBM3", ("a100", 80): "NVIDIA-A100-SXM4-80GB", ("a100", 40): "NVIDIA-A100-SXM4-40GB",
                                       ("l40s", 48): "NVIDIA-L40S", ("h200", 141): "NVIDIA-H200"}),
    "amd": ("amd.com/gpu.product-name", {("mi300x", 192): "AMD_Instinct_MI300X_OAM"}),
}
UNITS = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15,
         "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50}


def size(text):
    number, unit = re.fullmatch(r"([\d.]+) *(\w*)", str(text)).groups()
    return int(float(number) * UNITS[unit])


# What the pods of DaemonSets request on each node: network, proxy, device plugin, metrics, logs.
DAEMON = {"cpu": "450m", "memory": "900Mi"}


def kubelet_has(cpus):
    """What a kubelet keeps of a node with so many CPUs: (CPUs in thousandths, MiB of memory). As Amazon's image for EKS
    computes it for 110 pods (https://github.com/awslabs/amazon-eks-ami, nodeadm), with its eviction threshold."""
    steps = [60, 10, 5, 5] + [2.5] * max(cpus - 4, 0)
    return round(sum(steps[:cpus])), 255 + 11 * 110 + 100


class Site:
    """The site of a file: its only one. `exact`: its nodes have for pods what the file says, to the last byte; else
    kubelets and the pods of DaemonSets have their part of them, as on a real node."""

    def __init__(self, muster, path, exact=False):
        self.exact = exact
        document = read(muster, path)
        self.path = pathlib.Path(path)
        (self.name, self.body), = document["site"].items()
        self.fleet = fleet_of(muster, self.path, document, self.body["fleet"])
        self.plane = next(plane for plane in self.body["plane"].values() if plane["kind"] in ("kubernetes", "k3s"))

    @property
    def gang(self):
        return self.plane.get("gang", "")

    @property
    def queues(self):
        return [queue.get("name", name) for name, queue in self.body.get("queue", {}).items()] or ["main"]

    @property
    def claims(self):
        return [storage["pvc"] for storage in self.body.get("storage", {}).values() if "pvc" in storage]

    def flags(self, operator):
        return tuple(self.plane.get("operator", {}).get(operator, {}).get("flags", ()))

    def gpu_label(self, gpu):
        """(label, value) of the nodes of a pool."""
        named = self.body.get("gpu", {}).get(gpu["model"], {}).get("label")
        kind = self.plane.get("gpu_labels", "gfd")
        if kind == "gke":
            return "cloud.google.com/gke-accelerator", named
        if kind == "eks":  # Karpenter's name of the GPU
            return "karpenter.k8s.aws/instance-gpu-name", gpu["model"]
        label, values = LABELS["amd" if gpu.get("vendor") == "amd" else "gfd"]
        return label, named or values.get((gpu["model"], size(gpu["memory"]) // 10**9))

    def nodes(self, least=0):
        """The nodes of the plane's pools; with `least`, so many of each pool that as many cases have room at once."""
        own = self.plane.get("pools") or self.fleet["pool"]
        return [node for name, pool in self.fleet["pool"].items() if name in own for node in pool_nodes(self, name, pool, least)]


def read(muster, path):
    done = subprocess.run([muster, "fmt", "--to", "json", "--quiet", path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def fleet_of(muster, path, document, reference):
    if isinstance(reference, dict):  # of an import: `hardware.h100-64`
        imported, _, name = reference["$expr"].partition(".")
        document = read(muster, path.parent / document["import"][imported])
        return document["fleet"][name]
    return document["fleet"][reference]


def hosts(text):
    """n[01-64] and the like, in order; a number of nodes."""
    if isinstance(text, int):
        return [str(i) for i in range(1, text + 1)]
    found = []
    for part in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", text):
        match = re.fullmatch(r"([^\[]*)\[([^\]]*)\]", part)
        for piece in match[2].split(",") if match else [""]:
            low, _, high = piece.partition("-")
            found += [f"{match[1]}{i:0{len(low)}d}" for i in range(int(low), int(high or low) + 1)] if match else [part]
    return found


def pool_nodes(site, name, pool, least):
    node, gpu, names = pool["node"], pool.get("gpu"), hosts(pool["nodes"])
    leaf = pool.get("leaf_size", len(names))
    names += [f"{name}-more{i}" for i in range(least - len(names))]
    capacity = {"cpu": str(node["cpus"]), "memory": f"{size(node['memory']) >> 20}Mi", "pods": "110", "ephemeral-storage": str(size(node.get("disk", "1TB")))}
    if site.exact:
        kept, daemon = (1000 * node.get("reserve_cpus", 0), size(node.get("reserve_memory", "0")) >> 20), None
    else:
        kept, daemon = kubelet_has(node["cpus"]), DAEMON
    labels, taints = {}, []
    if gpu:
        key = "amd.com/gpu" if gpu.get("vendor") == "amd" else "nvidia.com/gpu"
        label, value = site.gpu_label(gpu)
        labels[label] = value
        taints = [{"key": key, "value": "present", "effect": "NoSchedule"}]
        if "slice" in gpu:
            capacity.update({f"nvidia.com/mig-{profile}": str(len(places(s["placements"])) * gpu["count"]) for profile, s in gpu["slice"].items()})
        else:
            capacity[key] = str(gpu["count"])
    fabric = site.body.get("fabric", {}).get((pool.get("network") or {}).get("fabric", ""), {})
    if "resource" in fabric:
        capacity[fabric["resource"]] = str(fabric.get("per_node", 1))
    pages = 16384 if "hugepages" in str(fabric.get("pod", "")) else 0  # MiB, which are not memory of pods any more
    if pages:
        capacity["hugepages-2Mi"] = f"{pages}Mi"
    memory = (size(node["memory"]) >> 20) - kept[1] - pages
    allocatable = {**capacity, "cpu": f"{1000 * node['cpus'] - kept[0]}m", "memory": f"{memory}Mi"}
    for rank, host in enumerate(names):
        levels = {level["label"]: f"{name}-leaf{rank // leaf}" for level in site.plane.get("level", {}).values() if "label" in level}
        yield {"name": f"{site.name}-{host}".lower(), "labels": {**labels, **levels, "topology.kubernetes.io/zone": "z1"}, "taints": taints, "capacity": capacity,
               "allocatable": allocatable, "daemon": daemon}


def places(text):
    return re.search(r"\{([^}]*)\}", text)[1].split(",")

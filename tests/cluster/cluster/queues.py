"""What a cluster has besides nodes and operators: namespaces, claims, quota and queues, as its administrators make them."""
import time

KUEUE = "kueue.x-k8s.io/v1beta2"
TOPOLOGY = "levels"  # the name of the only one


def namespace(api, name, labels=None, nodes=None):
    """`nodes`: the labels of the nodes on which its pods may run; else all."""
    chosen = {"scheduler.alpha.kubernetes.io/node-selector": ",".join(f"{key}={value}" for key, value in nodes.items())} if nodes else {}
    api.ensure({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels or {}, "annotations": chosen}})


def claim(api, space, name):
    meta = {"name": f"{space}-{name}"}
    api.ensure({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta,
                "spec": {"capacity": {"storage": "100Ti"}, "accessModes": ["ReadWriteMany"], "hostPath": {"path": "/x"}, "storageClassName": "",
                         "claimRef": {"namespace": space, "name": name}}})
    api.ensure({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": space},
                "spec": {"accessModes": ["ReadWriteMany"], "storageClassName": "", "volumeName": meta["name"], "resources": {"requests": {"storage": "100Ti"}}}})


def priority(api, name, value=1000):
    api.ensure({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value})


def number(quantity):
    """A quantity of a node, as a whole number."""
    for ending, factor in (("Ki", 1 << 10), ("Mi", 1 << 20), ("Gi", 1 << 30), ("Ti", 1 << 40)):
        if quantity.endswith(ending):
            return int(quantity[:-2]) * factor
    return int(quantity[:-1]) // 1000 if quantity.endswith("m") else int(quantity)


def capacity(machines, quota=None):
    """The sum over the machines, with what `quota` sets in its place."""
    total = {}
    for machine in machines:
        for name, amount in machine.get("allocatable", machine["capacity"]).items():
            if name not in ("pods", "ephemeral-storage"):
                total[name] = total.get(name, 0) + number(amount)
    return {**total, **(quota or {})}


def product(machine):
    """The labels that tell a kind of machine from the others: those of its GPUs."""
    return {name: value for name, value in machine["labels"].items() if "gpu" in name or "accelerator" in name or name.endswith("instance-type")}


def flavors(api, machines, prefix, topology=None, strict=False):
    """A flavor for each kind of machine; with `topology`, the label of a level, nodes are assigned too. [(flavor, its machines)].
    `strict`: pods have to tolerate the taints of its machines themselves, which the flavor names."""
    if topology:
        api.ensure({"apiVersion": KUEUE, "kind": "Topology", "metadata": {"name": TOPOLOGY}, "spec": {"levels": [{"nodeLabel": topology}, {"nodeLabel": "kubernetes.io/hostname"}]}})
    kinds = {}
    for machine in machines:
        kinds.setdefault(tuple(sorted(product(machine).items())), []).append(machine)
    found = []
    for i, (labels, group) in enumerate(sorted(kinds.items())):
        spec = {"nodeLabels": dict(labels) or {"kubernetes.io/os": "linux"}, "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}, {"key": "amd.com/gpu", "operator": "Exists"}]}
        if strict:
            spec["tolerations"], spec["nodeTaints"] = [], group[0]["taints"]
        if topology:
            spec["topologyName"] = TOPOLOGY
        name = f"{prefix}-{i}"
        api.ensure({"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": name, "labels": {"of": prefix}}, "spec": spec})
        found.append((name, group))
    return found


def cluster_queue(api, name, machines, topology=None, quota=None, limits=None, strict=False, **more):
    """A queue over all kinds of machines, each with what its machines have, or `quota`; with `limits` less of what they have."""
    groups = flavors(api, machines, name, topology, strict)
    covered = sorted({resource for _, group in groups for resource in capacity(group)})
    listed = []
    for flavor, group in groups:
        have = capacity(group, quota)
        have.update({resource: amount for resource, amount in (limits or {}).items() if resource in have})
        listed.append({"name": flavor, "resources": [{"name": resource, "nominalQuota": str(have.get(resource, 0))} for resource in covered]})
    api.ensure({"apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": {"name": name},
                "spec": {"namespaceSelector": {}, "queueingStrategy": "BestEffortFIFO", "resourceGroups": [{"coveredResources": covered, "flavors": listed}], **more}})


def remove_cluster_queue(api, name):
    """The queue and its flavors, once nothing is in it: Kueue looks at all that there are whenever it admits something."""
    api.delete(f"/apis/{KUEUE}/clusterqueues/{name}")
    api.delete(f"/apis/{KUEUE}/resourceflavors?labelSelector=of%3D{name}")


def local_queue(api, space, name, cluster):
    api.ensure({"apiVersion": KUEUE, "kind": "LocalQueue", "metadata": {"name": name, "namespace": space}, "spec": {"clusterQueue": cluster}})


def volcano_queue(api, name, **spec):
    api.ensure({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name}, "spec": {"weight": 1, "reclaimable": True, **spec}})
    for _ in range(600):  # jobs are refused before its controller has opened it, which a busy machine delays
        if ((api.find(f"/apis/scheduling.volcano.sh/v1beta1/queues/{name}") or {}).get("status") or {}).get("state") == "Open":
            return
        time.sleep(0.1)


def kai_queue(api, name):
    """A queue without limits below one of its own: KAI takes no jobs in a queue that has no parent."""
    open_ = {"quota": -1, "limit": -1, "overQuotaWeight": 1}
    for each, above in ((f"{name}-all", {}), (name, {"parentQueue": f"{name}-all"})):
        api.ensure({"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": each}, "spec": {**above, "resources": {"cpu": open_, "gpu": open_, "memory": open_}}})


def kai_topology(api, name, label):
    """KAI's own form of levels. Muster names it after the plane."""
    api.ensure({"apiVersion": "kai.scheduler/v1alpha1", "kind": "Topology", "metadata": {"name": name}, "spec": {"levels": [{"nodeLabel": label}, {"nodeLabel": "kubernetes.io/hostname"}]}})


def hyper_nodes(api, machines, label):
    """Volcano's own form of levels: one HyperNode for each value of the label."""
    groups = {}
    for machine in machines:
        groups.setdefault(machine["labels"][label], []).append(machine["name"])
    for name, members in groups.items():
        api.ensure({"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": {"name": name},
                    "spec": {"tier": 1, "members": [{"type": "Node", "selector": {"exactMatch": {"name": member}}} for member in members]}})


def devices(api, machines):
    """What the driver of a vendor's GPUs says of them, for claims: a class, and the devices of each node."""
    driver, model = "gpu.nvidia.com", {"productName": {"string": "NVIDIA H100 80GB HBM3"}, "architecture": {"string": "Hopper"}, "type": {"string": "gpu"}}
    api.ensure({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": driver}, "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{driver}'"}}]}})
    for machine in machines:
        count = number(machine["capacity"].get("nvidia.com/gpu", "0"))
        if count:
            made = [{"name": f"gpu-{i}", "attributes": model, "capacity": {"memory": {"value": "80Gi"}}} for i in range(count)]
            api.ensure({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": machine["name"]},
                        "spec": {"driver": driver, "nodeName": machine["name"], "pool": {"name": machine["name"], "generation": 1, "resourceSliceCount": 1}, "devices": made}})


def walk(thing):
    if isinstance(thing, dict):
        yield thing
        for value in thing.values():
            yield from walk(value)
    elif isinstance(thing, list):
        for value in thing:
            yield from walk(value)


def named(documents):
    """What documents name and a cluster must have: {kind: names}."""
    found = {"claim": set(), "priority": set(), "kueue": set(), "volcano": set()}
    for part in (part for document in documents for part in walk(document)):
        for key, kind in (("claimName", "claim"), ("priorityClassName", "priority"), ("kueue.x-k8s.io/queue-name", "kueue"), ("volcano.sh/queue-name", "volcano"),
                          ("scheduling.volcano.sh/queue-name", "volcano")):
            if isinstance(part.get(key), str) and not part[key].startswith("system-"):
                found[kind].add(part[key])
        if isinstance(part.get("queue"), str) and ("minAvailable" in part or "minMember" in part):
            found["volcano"].add(part["queue"])
    return found


def provide(api, space, documents, cluster):
    """Makes a namespace and all that the documents name in it."""
    namespace(api, space)
    wanted = named(documents)
    for name in wanted["claim"]:
        claim(api, space, name)
    for name in wanted["priority"]:
        priority(api, name)
    for name in wanted["kueue"]:
        local_queue(api, space, name, cluster)
    for name in wanted["volcano"] - {"default"}:
        volcano_queue(api, name)

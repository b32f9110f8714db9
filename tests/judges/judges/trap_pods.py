"""Checks of traps in Kubernetes objects. Each gets the objects of one file and returns what is wrong, or None."""
import re

GPUS = ("nvidia.com/gpu", "amd.com/gpu")


def parts(value, path=""):
    """Every mapping in an object: (path, mapping)."""
    if isinstance(value, dict):
        yield path, value
        for key, inner in value.items():
            yield from parts(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from parts(inner, f"{path}[{place}]")


def templates(value):
    """Every pod specification in an object: (path, specification)."""
    return ((path, part) for path, part in parts(value) if isinstance(part.get("containers"), list))


def pods(objects):
    for found in objects:
        for path, spec in templates(found):
            yield f"{found.get('kind')}{path}", spec


def containers(objects):
    for path, spec in pods(objects):
        for container in spec["containers"]:
            yield path, spec, container


def limits(container):
    return (container.get("resources") or {}).get("limits") or {}


def gpus(container):
    return sum(int(limits(container).get(name, 0)) for name in GPUS)


def env(container):
    return {entry["name"]: entry.get("value") for entry in container.get("env") or [] if "name" in entry}


def of_kind(objects, *kinds):
    return [found for found in objects if found.get("kind") in kinds]


def mixed_fabric(objects):
    """Pods with GPUs of one coupled object, some with the adapter of the fast network and some without."""
    for found in of_kind(objects, "JobSet", "RayJob", "RayCluster", "PyTorchJob", "TrainJob", "MPIJob"):
        has = {}
        for path, spec in templates(found):
            for container in spec["containers"]:
                if gpus(container):
                    has[path] = any(re.match(r"(rdma/|vpc\.amazonaws\.com/efa|nvidia\.com/[a-z]*rdma|openshift\.io/)", name) for name in limits(container))
        if len(set(has.values())) > 1:
            return f"{found['kind']}: {has}"
    return None


def ipc_lock_without_root(objects):
    for path, spec, container in containers(objects):
        own = container.get("securityContext") or {}
        user = own.get("runAsUser", (spec.get("securityContext") or {}).get("runAsUser", 0))
        if user and "IPC_LOCK" in ((own.get("capabilities") or {}).get("add") or []):
            return f"{path}: user {user}"
    return None


def rootless_home(objects):
    for path, spec, container in containers(objects):
        own = container.get("securityContext") or {}
        user = own.get("runAsUser", (spec.get("securityContext") or {}).get("runAsUser", 0))
        if user and gpus(container) and not {"HOME", "USER"} <= set(env(container)):
            return f"{path}: user {user}"
    return None


def karpenter_gpu_name(objects):
    for path, spec in pods(objects):
        value = (spec.get("nodeSelector") or {}).get("karpenter.k8s.aws/instance-gpu-name", "")
        if "." in value:
            return f"{path}: {value}"
    return None


def small_shm(objects):
    """The default of 64 MB: data loaders and NCCL exchange tensors there."""
    for path, spec, container in containers(objects):
        if gpus(container) < 2:
            continue
        mounts = {mount["mountPath"] for mount in container.get("volumeMounts") or []}
        if "/dev/shm" not in mounts and not spec.get("hostIPC"):
            return f"{path}: {container['name']}"
    return None


def short_lived(objects):
    for found in objects:
        spec = found.get("spec") or {}
        policy = spec.get("runPolicy") or {}
        for seconds in (spec.get("ttlSecondsAfterFinished"), policy.get("ttlSecondsAfterFinished")):
            if seconds is not None and seconds < 3600:
                return f"{found['kind']}: {seconds} s"
    return None


def silent_retries(objects):
    """A Job retries six times where nothing is said."""
    def is_job(part):
        return "completions" in part or "parallelism" in part or (isinstance(part.get("template"), dict) and "backoffLimit" in part)
    for found in of_kind(objects, "Job", "JobSet"):
        if "volcano" in found.get("apiVersion", ""):
            continue  # a kind of its own: `maxRetry`
        specs = [("", found["spec"])] if found["kind"] == "Job" else [(path, part) for path, part in parts(found["spec"]) if is_job(part)]
        for path, spec in specs:
            if "backoffLimit" not in spec and "backoffLimitPerIndex" not in spec:
                return f"{found['kind']}{path}"
    return None


def gpu_requests_differ(objects):
    for path, _, container in containers(objects):
        requests = (container.get("resources") or {}).get("requests") or {}
        for name in GPUS:
            if name in requests and requests[name] != limits(container).get(name):
                return f"{path}: {requests[name]} and {limits(container).get(name)}"
    return None


def gpus_by_environment(objects):
    for path, _, container in containers(objects):
        if env(container).get("NVIDIA_VISIBLE_DEVICES") not in (None, "none", "void"):
            return path
    return None


def unpinned_image(objects):
    for path, _, container in containers(objects):
        image = container.get("image", "")
        name = image.rsplit("/", 1)[-1]
        if image and ("@" not in image and (":" not in name or name.endswith(":latest"))):
            return f"{path}: {image}"
    return None


def host_network_dns(objects):
    for path, spec in pods(objects):
        if spec.get("hostNetwork") and spec.get("dnsPolicy") != "ClusterFirstWithHostNet":
            return path
    return None


def replicas_and_autoscaler(objects):
    scaled = {(target.get("kind"), target.get("name")) for found in of_kind(objects, "HorizontalPodAutoscaler", "ScaledObject")
              for target in [found["spec"]["scaleTargetRef"]]}
    for found in of_kind(objects, "Deployment", "StatefulSet", "LeaderWorkerSet"):
        name = found["metadata"].get("name")
        if any(name == wanted and kind in (None, found["kind"]) for kind, wanted in scaled) and "replicas" in found["spec"]:
            return f"{found['kind']} {name}"
    return None


def liveness_while_loading(objects):
    for path, _, container in containers(objects):
        probe = container.get("livenessProbe")
        if probe and gpus(container) and "startupProbe" not in container and probe.get("initialDelaySeconds", 0) < 300:
            return path
    return None


def traffic_before_ready(objects):
    """A server behind a Service that says nothing of when it is ready."""
    if not of_kind(objects, "Service"):
        return None
    for found in of_kind(objects, "Deployment"):
        for path, spec in templates(found):
            if any(c.get("ports") and gpus(c) and "readinessProbe" not in c for c in spec["containers"]):
                return path
    return None


def rendezvous_waits_for_ready(objects):
    """DNS does not name pods that are not ready; the others cannot meet one that waits for them."""
    headless = [found for found in of_kind(objects, "Service") if found["spec"].get("clusterIP") == "None"]
    probed = any("readinessProbe" in container for _, _, container in containers(of_kind(objects, "Job", "StatefulSet", "LeaderWorkerSet")))
    for found in headless:
        if not found["spec"].get("publishNotReadyAddresses") and (probed or of_kind(objects, "Job")):
            return found["metadata"].get("name")
    return None


def grace_below_stop(objects):
    """preStop runs within the grace period: where it takes all of it, the program is killed at once."""
    for path, spec, container in containers(objects):
        sleep = (((container.get("lifecycle") or {}).get("preStop") or {}).get("sleep") or {}).get("seconds", 0)
        if sleep and sleep >= spec.get("terminationGracePeriodSeconds", 30):
            return f"{path}: {sleep} s"
    return None


def loopback_nccl(objects):
    for path, _, container in containers(objects):
        if (env(container).get("NCCL_SOCKET_IFNAME") or "") in ("lo", "docker0"):
            return path
    return None


def memory_medium_unlimited(objects):
    """Files of a volume in memory count against the limit; without one they take the node's."""
    for path, spec, container in containers(found for found in objects if found.get("kind") != "TrainJob"):  # a patch of its runtime
        shared = {v["name"] for v in spec.get("volumes") or [] if (v.get("emptyDir") or {}).get("medium") == "Memory" and "sizeLimit" not in v["emptyDir"]}
        mounted = {mount["name"] for mount in container.get("volumeMounts") or []}
        if shared & mounted and "memory" not in limits(container):
            return f"{path}: {container['name']}"
    return None


def gang_of_one(objects):
    """A PodGroup for less than its pods starts a part of them."""
    for found in of_kind(objects, "PodGroup"):
        least = found["spec"].get("minMember")
        if least == 1 and any((o.get("spec") or {}).get("parallelism", 1) > 1 for o in of_kind(objects, "Job")):
            return found["metadata"].get("name")
    return None


CHECKS = {
    "mixed-fabric": mixed_fabric,
    "ipc-lock-without-root": ipc_lock_without_root,
    "rootless-home": rootless_home,
    "karpenter-gpu-name": karpenter_gpu_name,
    "small-shm": small_shm,
    "short-lived": short_lived,
    "silent-retries": silent_retries,
    "gpu-requests-differ": gpu_requests_differ,
    "gpus-by-environment": gpus_by_environment,
    "unpinned-image": unpinned_image,
    "host-network-dns": host_network_dns,
    "replicas-and-autoscaler": replicas_and_autoscaler,
    "liveness-while-loading": liveness_while_loading,
    "traffic-before-ready": traffic_before_ready,
    "rendezvous-waits-for-ready": rendezvous_waits_for_ready,
    "grace-below-stop": grace_below_stop,
    "loopback-nccl": loopback_nccl,
    "memory-medium-unlimited": memory_medium_unlimited,
    "gang-of-one": gang_of_one,
}

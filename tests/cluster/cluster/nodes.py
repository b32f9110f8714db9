"""Nodes and their kubelets, played: a pod that is bound runs at once, whatever its image, ends with the code that
`Kubelets.end` gives it, and is reported Failed when it is deleted, evicted or lost with its node, as a kubelet does."""
import concurrent.futures
import datetime
import itertools
import threading

from . import failures
from .api import Refused
from .watched import Watched

LONGEST = 600  # seconds: nothing here runs so long, so longer deadlines are not watched


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def make(api, nodes, version="v1.36.3"):
    """Creates the nodes: {name, labels, taints, capacity} each, all of it allocatable without `allocatable`. With `daemon`
    the pod of a DaemonSet that requests so much runs on each."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda node: make_one(api, node, version), nodes))


def make_one(api, node, version):
    labels = {"kubernetes.io/hostname": node["name"], "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", **node.get("labels", {})}
    status = {"capacity": node["capacity"], "allocatable": node.get("allocatable", node["capacity"]), "conditions": [readiness("True")],
              "nodeInfo": {"kubeletVersion": version, "operatingSystem": "linux", "architecture": "amd64"},
              "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}, {"type": "Hostname", "address": node["name"]}]}
    # At once, as a kubelet registers itself: everyone who watches nodes would hear of a second request too.
    api.ensure({"apiVersion": "v1", "kind": "Node", "metadata": {"name": node["name"], "labels": labels}, "spec": {"taints": node.get("taints", [])}, "status": status})
    if node.get("daemon"):
        container = {"name": "agent", "image": "registry.example/agent:1", "resources": {"requests": node["daemon"]}}
        api.ensure({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"agent-{node['name']}", "namespace": "kube-system"},
                    "spec": {"nodeName": node["name"], "priorityClassName": "system-node-critical", "tolerations": [{"operator": "Exists"}],
                             "automountServiceAccountToken": False, "containers": [container]}})


def set_status(api, name, status):
    api.patch(f"/api/v1/nodes/{name}/status", {"status": status})


def readiness(word):
    return {"type": "Ready", "status": word, "reason": "Played", "lastHeartbeatTime": now(), "lastTransitionTime": now()}


class Kubelets:
    """Plays the kubelets of all nodes, in threads of its own, until `stop`."""

    def __init__(self, api):
        self.api = api
        self.addresses = itertools.count(1)
        self.lost = set()    # nodes that no longer answer
        self.begun = set()   # pods that were told to run
        self.ended = set()   # pods that have ended or go away
        self.unready = set() # namespaces whose pods run and are not ready
        self.restarts = {}   # how often a pod's containers have started again
        self.guard = threading.Lock()
        self.stopping = threading.Event()
        self.pool = concurrent.futures.ThreadPoolExecutor(8)
        self.pods = Watched(api, "/api/v1/pods", self.see)

    def stop(self):
        self.stopping.set()
        self.pods.stop()
        self.pool.shutdown(wait=False, cancel_futures=True)

    def first(self, pod, seen):
        """Whether the pod was not yet in the set."""
        with self.guard:
            uid = pod["metadata"]["uid"]
            new = uid not in seen
            seen.add(uid)
            return new

    def see(self, pod):
        node = pod["spec"].get("nodeName")
        if not node or node in self.lost:
            return
        phase = pod["status"].get("phase")
        if pod["metadata"].get("deletionTimestamp"):
            if self.first(pod, self.ended):
                self.later(self.go, pod)
        elif phase == "Pending" and self.first(pod, self.begun):
            self.later(self.run, pod)

    def later(self, work, *args):
        if not self.stopping.is_set():
            self.pool.submit(self.quietly, work, *args)

    def quietly(self, work, *args):
        try:
            work(*args)
        except Refused as refused:
            if refused.code not in (404, 409):
                print(f"# kubelet: {refused}", flush=True)
        except OSError as error:
            if not self.stopping.is_set():
                print(f"# kubelet: {error}", flush=True)

    # ---- what a kubelet reports ------------------------------------------------------------------

    def report(self, pod, **status):
        meta = pod["metadata"]
        self.api.ask(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}/status", "PATCH", {"status": status}, "application/strategic-merge-patch+json")

    def run(self, pod):
        number = next(self.addresses)
        address = f"10.{64 + number // 62500}.{number // 250 % 250}.{number % 250 + 1}"
        ready = "False" if pod["metadata"]["namespace"] in self.unready else "True"
        self.report(pod, phase="Running", podIP=address, podIPs=[{"ip": address}], hostIP="127.0.0.1", startTime=now(), conditions=conditions(ready),
                    containerStatuses=[running(c) for c in pod["spec"]["containers"]], initContainerStatuses=[begun(c) for c in pod["spec"].get("initContainers", [])])
        if pod["spec"].get("activeDeadlineSeconds", LONGEST) < LONGEST:
            deadline = threading.Timer(pod["spec"]["activeDeadlineSeconds"], self.later, (self.quietly, self.overdue, pod))
            deadline.daemon = True
            deadline.start()

    def finish(self, pod, code):
        policy = pod["spec"].get("restartPolicy", "Always")
        if policy == "Always" or (policy == "OnFailure" and code):
            return self.restart(pod, code)
        self.last(pod, code)

    def restart(self, pod, code):
        """The containers start again in their pod."""
        with self.guard:
            self.ended.discard(pod["metadata"]["uid"])
            count = self.restarts[pod["metadata"]["uid"]] = self.restarts.get(pod["metadata"]["uid"], 0) + 1
        again = [{**running(c), "restartCount": count, "lastState": terminated(c, code)["state"]} for c in pod["spec"]["containers"]]
        self.report(pod, conditions=conditions("True"), containerStatuses=again)

    def last(self, pod, code):
        self.report(pod, phase="Failed" if code else "Succeeded", conditions=conditions("False"), containerStatuses=[terminated(c, code) for c in pod["spec"]["containers"]])

    def overdue(self, pod):
        if self.first(pod, self.ended):
            self.report(pod, phase="Failed", reason="DeadlineExceeded", message="Pod was active on the node longer than the specified deadline", conditions=conditions("False"),
                        containerStatuses=[terminated(c, failures.PLAYED["overdue"]) for c in pod["spec"]["containers"]])

    def go(self, pod):
        """A pod that is deleted ends by SIGTERM first, and its object goes once that is reported."""
        if pod["status"].get("phase") in ("Running", "Pending"):
            self.quietly(self.last, pod, failures.PLAYED["deleted"])
        self.api.delete(f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}", gracePeriodSeconds=0, preconditions={"uid": pod["metadata"]["uid"]})

    # ---- what a judge asks for -------------------------------------------------------------------

    def end(self, pods, code=0):
        """Their programs end with this code."""
        for pod in pods:
            if pod["status"].get("phase") == "Running" and self.first(pod, self.ended):
                self.later(self.finish, pod, code)

    def lose(self, node):
        """The node answers no more. Its cloud says so by the taint that lets its pods be given up."""
        self.lost.add(node)
        set_status(self.api, node, {"conditions": [readiness("Unknown")]})
        taints = self.api.ask(f"/api/v1/nodes/{node}")["spec"].get("taints") or []
        self.api.patch(f"/api/v1/nodes/{node}", {"spec": {"taints": [*taints, {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}]}})

    def evict(self, pod):
        """As `kubectl drain` and preempting schedulers do it."""
        meta = pod["metadata"]
        self.api.ask(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}/eviction", "POST",
                     {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": meta["name"], "namespace": meta["namespace"]}})


def conditions(ready):
    return [{"type": kind, "status": "True" if kind == "Initialized" else ready, "lastTransitionTime": now()} for kind in ("Initialized", "ContainersReady", "Ready")]


def status_of(container, **more):
    return {"name": container["name"], "image": container.get("image", ""), "imageID": "played", "restartCount": 0, **more}


def running(container):
    return status_of(container, ready=True, started=True, state={"running": {"startedAt": now()}})


def terminated(container, code):
    end = {"exitCode": code, "reason": "Error" if code else "Completed", "startedAt": now(), "finishedAt": now()}
    return status_of(container, ready=False, started=False, state={"terminated": end})


def begun(container):
    """An init container has done its work, unless it is a sidecar."""
    if container.get("restartPolicy") == "Always":
        return running(container)
    return status_of(container, ready=True, started=False, state={"terminated": {"exitCode": 0, "reason": "Completed"}})

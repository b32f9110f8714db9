"""Pods of a namespace as a judge looks at them."""
import collections
import time

GROUPS = {  # what operators make and hold: plural, group and version
    "workloads": "kueue.x-k8s.io/v1beta2", "jobsets": "jobset.x-k8s.io/v1alpha2", "pytorchjobs": "kubeflow.org/v1", "mpijobs": "kubeflow.org/v2beta1",
    "trainjobs": "trainer.kubeflow.org/v1alpha1", "podgroups": "scheduling.volcano.sh/v1beta1", "rayclusters": "ray.io/v1", "rayjobs": "ray.io/v1",
    "rayservices": "ray.io/v1", "leaderworkersets": "leaderworkerset.x-k8s.io/v1", "deployments": "apps/v1", "statefulsets": "apps/v1", "jobs": "batch/v1",
    "scaledobjects": "keda.sh/v1alpha1",
}
WATCHED = ("workloads", "podgroups")  # looked at again and again, as pods are
PAUSE = 0.25  # seconds between two looks
VOLCANO_JOBS = "/apis/batch.volcano.sh/v1alpha1/namespaces/{}/jobs"


class Space:
    """A namespace. `watched`: the objects of some kinds, as watches report them. `patience`: how many times as long one waits there."""

    def __init__(self, api, name, watched, patience=1):
        self.api, self.name, self.watched, self.patience = api, name, watched, patience

    def core(self, plural):
        return self.api.items(f"/api/v1/namespaces/{self.name}/{plural}")

    def pods(self):
        return self.watched["pods"].of(self.name)

    def held(self, plural):
        if plural in self.watched:
            return self.watched[plural].of(self.name)
        if plural == "volcano":
            return self.api.items(VOLCANO_JOBS.format(self.name))
        return self.api.items(f"/apis/{GROUPS[plural]}/namespaces/{self.name}/{plural}")

    def running(self):
        return [pod for pod in self.pods() if state(pod) == "Running"]

    def shape(self):
        return collections.Counter((pod["metadata"]["name"], state(pod)) for pod in self.pods())

    def settle(self, quiet=2.0, limit=30.0, wanted=None):
        """Waits until its pods have not changed for `quiet` seconds; less where `wanted` of the running pods holds."""
        start = last = time.monotonic()
        before = None
        quiet, limit = quiet * self.patience, limit * self.patience
        while time.monotonic() - start < limit:
            shape = self.shape()
            if shape != before:
                before, last = shape, time.monotonic()
            if time.monotonic() - last > quiet or (wanted and wanted(self.running()) and time.monotonic() - last > quiet / 4):
                break
            time.sleep(PAUSE)
        return time.monotonic() - start

    def until(self, ready, seconds=30.0):
        """The first true answer of `ready`, or its last one."""
        end = time.monotonic() + seconds * self.patience
        while True:
            answer = ready()
            if answer or time.monotonic() > end:
                return answer
            time.sleep(PAUSE)

    def clear(self, by_others=False):
        """Deletes what a job or a service is made of, and waits until its pods are gone. `by_others`: what another program
        has created, too."""
        for path in self.paths():
            if by_others or path in self.api.made:
                self.api.delete(path)
        self.delete_pods()
        return self.until(self.is_empty, 20)

    def paths(self):
        """Of the kinds that jobs and services are made of; PodGroups go after the jobs that they are of."""
        yield from (f"/apis/{group}/namespaces/{self.name}/{plural}" for plural, group in GROUPS.items() if plural not in ("workloads", "podgroups"))
        yield VOLCANO_JOBS.format(self.name)
        yield f"/apis/{GROUPS['podgroups']}/namespaces/{self.name}/podgroups"
        yield f"/apis/autoscaling/v2/namespaces/{self.name}/horizontalpodautoscalers"

    def delete_pods(self):
        self.api.delete(f"/api/v1/namespaces/{self.name}/pods", gracePeriodSeconds=0)

    def is_empty(self):
        if not self.pods():
            return True
        self.delete_pods()
        return not self.pods()


def state(pod):
    if pod["metadata"].get("deletionTimestamp"):
        return "Terminating"
    if pod["spec"].get("schedulingGates"):
        return "Gated"
    phase = pod["status"].get("phase", "?")
    return "Unplaced" if phase == "Pending" and not pod["spec"].get("nodeName") else phase


def amount(pod, wanted):
    """What the pod's containers may have of the extended resources whose names `wanted` takes."""
    total = 0
    sidecars = [init for init in pod["spec"].get("initContainers") or [] if init.get("restartPolicy") == "Always"]
    for container in [*pod["spec"]["containers"], *sidecars]:
        for name, value in ((container.get("resources") or {}).get("limits") or {}).items():
            if wanted(name):
                total += int(value)
    return total


def gpus(pod):
    """GPUs and slices of them."""
    return amount(pod, lambda name: name.endswith(("/gpu",)) or "/mig-" in name)


def role(pod):
    return (pod["metadata"].get("labels") or {}).get("app.kubernetes.io/component", "main")


def conditions(thing):
    """The types of the conditions that hold."""
    return {c.get("type", "") for c in (thing.get("status") or {}).get("conditions") or [] if c.get("status") == "True"}


def why(thing):
    """The reasons of the conditions that do not hold."""
    return "; ".join(f"{c.get('type', '')}: {c.get('message', '')}" for c in (thing.get("status") or {}).get("conditions") or [] if c.get("status") != "True" and c.get("message"))


def names(space):
    """{host name: pod} that the DNS of the namespace would answer: by headless services, and by services of one pod."""
    found, everyone = {}, space.pods()
    for service in space.core("services"):
        selector = service["spec"].get("selector") or {}
        chosen = [pod for pod in everyone if selector and selector.items() <= (pod["metadata"].get("labels") or {}).items()]
        for pod in chosen:
            if pod["spec"].get("hostname") and pod["spec"].get("subdomain") == service["metadata"]["name"] and service["spec"].get("clusterIP") == "None":
                found[f"{pod['spec']['hostname']}.{service['metadata']['name']}"] = pod["metadata"]["name"]
        if len(chosen) == 1:
            found[service["metadata"]["name"]] = chosen[0]["metadata"]["name"]
    return found

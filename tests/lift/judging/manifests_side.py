"""A manifest and what import and compile make of it: the containers of both as their operators start them, and the script for Slurm."""
import base64
import copy
import dataclasses
import os
import pathlib
import re

from judges import pods

from . import choose, compare, pods_side

MOST = 16  # containers of one object that run
RAY = ("RayJob", "RayCluster", "RayService")


class Documents(pods.Manifest):
    """Some documents of a file."""

    def __init__(self, documents):
        self.documents = documents


def objects(documents):
    """The workloads among them, each with the ConfigMaps beside it."""
    beside = [document for document in documents if document.get("kind") in ("ConfigMap", "Secret")]
    for document in documents:
        metadata = document.get("metadata") or {}
        metadata.setdefault("name", metadata.get("generateName", "job-") + "x")
    return [Documents([document, *beside]) for document in documents if (document.get("apiVersion"), document.get("kind")) in pods.OPERATORS]


def started(read):
    """[(pod, its words)]: every container of every pod, those that begin earlier first."""
    document = read.documents[0]
    if document["kind"] == "MPIJob":
        return of_mpi(document)
    out = []
    for pod in many(document, pods.pods_of(Documents(read.documents[:1]))):
        spec = pod.template["spec"]
        for container in [*spec.get("initContainers", []), *spec["containers"]]:
            alone = copy.copy(pod)
            alone.template = {**pod.template, "spec": {**spec, "containers": [container]}}
            out.append((alone, [*container.get("command", []), *container.get("args", [])]))
    if document["kind"] in RAY:
        return of_ray(document, out)
    return out


def many(document, found):
    """A Deployment has its pods so many times; none has the Deployment's own name."""
    if document["kind"] not in ("Deployment", "StatefulSet"):
        return found
    count = document["spec"].get("replicas", 1)
    return [dataclasses.replace(pod, name=f"{pod.name}-{i}") for pod in found for i in range(min(count or 1, MOST))]


def of_mpi(document):
    """The launcher, whose mpirun forks all ranks here: each in what its worker has, as the worker's sshd would start it."""
    replicas = document["spec"]["mpiReplicaSpecs"]
    template = copy.deepcopy(replicas["Launcher"]["template"])
    worker = replicas.get("Worker", {"template": template})["template"]["spec"]
    container, of_rank = template["spec"]["containers"][0], worker["containers"][0]
    for key in ("env", "volumeMounts"):
        container[key] = added(container.get(key, []), of_rank.get(key, []))
    template["spec"]["volumes"] = added(template["spec"].get("volumes", []), worker.get("volumes", []))
    container["resources"], container["image"] = of_rank.get("resources", {}), of_rank.get("image", container.get("image", ""))
    pod = pods.Pod(f"{document['metadata']['name']}-launcher", template, {"K_MPI_JOB_ROLE": "launcher"})
    words = [*container.get("command", []), *container.get("args", [])]
    if any("/job-tmp" in word for word in words):  # where muster's worker leaves its environment for its ranks
        words = ["/bin/sh", "-c", 'export PWD; export -p > /job-tmp/environment; exec "$@"', "worker", *words]
    return [(pod, words)]


def added(own, others):
    """Items with names, and those of `others` that have another."""
    return [*own, *(item for item in others if item["name"] not in {each["name"] for each in own})]


def of_ray(document, found):
    """Ray's nodes start and are left alone; the entrypoint of a job runs on the head."""
    words = [(pod, ["ray", "start", "--head"] if pod.labels.get("ray.io/node-type") == "head" else ["ray", "start"]) for pod, _ in found if pod.labels.get("ray.io/node-type")]
    entrypoint = document["spec"].get("entrypoint")
    return words + ([(found[0][0], ["/bin/sh", "-c", entrypoint])] if entrypoint else [])


def plan(read, positions=None):
    """What a world runs, as plain data: of many alike tasks those at `positions`."""
    found = started(read)
    name = read.documents[0]["metadata"].get("name", "job")
    names = list(dict.fromkeys(pod.name for pod, _ in found))
    nodes = [{each, f"{each}.{name}", f"{each}.{name}.default", f"10.0.0.{number + 1}"} for number, each in enumerate(names)]
    group = {pod.name: pod.labels.get("leaderworkerset.sigs.k8s.io/group-index") for pod, _ in found}  # each has a head of its own
    out = []
    for number, (pod, words) in [(i, found[i]) for i in positions] if positions else list(enumerate(found))[:MOST]:
        container, at = pod.container, names.index(pod.name)
        env = pods.environment(pod, at)
        asked = container.get("resources", {})
        env["STUB_GPUS"] = str(sum(int(count) for kind, count in {**asked.get("requests", {}), **asked.get("limits", {})}.items() if pods_side.GPU.fullmatch(kind)))
        env["STUB_CPUS"] = str({**asked.get("limits", {}), **asked.get("requests", {})}.get("cpu", "1"))
        own = [i for i, each in enumerate(names) if group[each] == group[pod.name]]
        env["STUB_NODES"], env["STUB_NODE"] = ",".join("|".join(sorted(nodes[i])) for i in own), str(own.index(at))
        env["STUB_TASK"], env["STUB_IMAGE"], env["STUB_GIVEN"] = "0", container.get("image", ""), " ".join(sorted(pod.env))
        words = [pods.expanded(word, env) for word in words]
        if not container.get("command") and words[:1] != ["ray"] and not (words[:2] == ["/bin/sh", "-c"] and read.documents[0]["kind"] in RAY):
            words = ["/.judge/call", compare.OWN_PROGRAM, *words]
        out.append({"words": words, "env": env, "folder": container.get("workingDir", ""), "files": pods_side.files(read, pod)})
    return {"pods": out, "hosts": [sorted(each, key=lambda name: not name.startswith("10.")) for each in nodes]}


def count(read):
    return len(started(read))


def slurm_site(text):
    """A Slurm that answers what an imported workload asks of its site: queues, images, storage, secrets."""
    lines = ["  plane cluster { kind = slurm  containers = apptainer  mpi = mpirun }", '  job-dir = "/scratch/jobs"']
    # Slurm has no partition `default`: it is a word of slurm.conf.
    lines += [f'  queue {pods_side.quoted(name)} {{ name = "{"" if name == "default" else name}" }}' for name in pods_side.named(text, "queue")] or ['  queue main { name = ""  default = true }']
    lines += [f'  software {pods_side.quoted(name)} {{ image = "registry.example/{name}:1" }}' for name in pods_side.named(text, "software")]
    lines += [f'  storage {pods_side.quoted(name)} {{ path = "/data/{name}" }}' for name in sorted(set(re.findall(r"(?m)^\s*mount\s+([\w.-]+)\s*\{", text)) - {"scratch"})]
    lines += [f'  secret {pods_side.quoted(name)} {{ file = "~/{name}" }}' for name in sorted(set(re.findall(r"(?m)^\s*secret\s+([\w.-]+)\b", text)))]
    return "\n".join(["site slurm {", *lines, "  defaults { retry = default  cpus = default  memory = default }", "}", ""])


def site_with_gang(site, report):
    """The draft of a site; where the import leaves the gang to it, a copy whose plane has a gang scheduler, as a person adds one."""
    text = site.read_text()
    if re.search(r"\bgang *=", text) or not any(line.get("as") == "plane.gang of the site" and line["fate"] == "moved" for line in report["directives"] + report["statements"]):
        return site
    text = re.sub(r"(kind *= kubernetes)\b", r"\1  gang = kueue", text, count=1)
    copy = site.with_name("site-with-gang.muster")
    copy.write_text(re.sub(r"^(site .*\{)$", r"\1\n  queue of-the-site { default = true }", text, count=1, flags=re.M))
    return copy


def programs(*plans):
    """The files that containers start, by path: the first word, and what a file beside it starts in its place."""
    pods_ = [pod for each in plans if each for pod in each["pods"]]
    texts = "\n".join(base64.b64decode(data).decode("utf-8", "replace") for pod in pods_ for data in pod["files"].values() if data)
    found = {pod["words"][0] for pod in pods_ if pod["words"]} | set(re.findall(r"(?m)^\s*exec (/[\w./-]+)", texts))
    return sorted(word for word in found if word.startswith("/") and not word.startswith(("/bin/", "/usr/bin/", "/.judge")))


def text(*plans):
    """All that might be a word of a command."""
    return "\n".join("\n".join(pod["words"]) + "\n" + "\n".join(map(os.path.basename, pod["files"])) for each in plans if each for pod in each["pods"])


def positions(number):
    """Of an array of so many tasks."""
    return choose.some(list(range(number)))


def compiled(muster, workload, site, folder, *options):
    """(the file or None, what compile said)"""
    folder.mkdir(parents=True, exist_ok=True)
    done = muster.run("compile", workload, "--site", site, "--diagnostics", "short", "-o", folder, *options)
    said = done.stderr.strip()
    if done.returncode:
        return None, said
    return next((path for ending in ("*.yaml", "*.sbatch") for path in pathlib.Path(folder).glob(ending)), None), said

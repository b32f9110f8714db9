"""Variants of the faults that an import can make of a manifest, and of the images of a site: one function a class."""
import json
import string

from .variants import Variant


def container(draw, command, env=(), gpus=1, name="main"):
    limits = {"nvidia.com/gpu": gpus} if gpus else {"cpu": "2"}
    return {"name": name, "image": f"registry.example/{draw.choice(('a', 'b', 'team/c'))}:{draw.randint(1, 9)}", "command": command, "resources": {"limits": limits}, **({"env": list(env)} if env else {})}


def document(version, kind, spec, name="train"):
    """JSON is YAML, too: one object, on lines of its own."""
    return json.dumps({"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}, indent=1) + "\n"


def template(part, restart="Never"):
    return {"spec": {"restartPolicy": restart, "containers": [part]}}


# ---- of each operator: which names it gives, and an object around a container -------------------

def indexed_job(draw, part):
    nodes = draw.choice((1, 2, 3, 4))
    return document("batch/v1", "Job", {"completions": nodes, "parallelism": nodes, "completionMode": "Indexed", "template": template(part)})


def jobset(draw, part):
    nodes = draw.choice((2, 3, 4))
    return document("jobset.x-k8s.io/v1alpha2", "JobSet", {"replicatedJobs": [{"name": "w", "replicas": 1, "template": {"spec": {"completions": nodes, "parallelism": nodes, "template": template(part)}}}]})


def pytorchjob(draw, part):
    part["name"] = "pytorch"
    roles = {"Master": {"replicas": 1, "restartPolicy": "Never", "template": template(part)}, "Worker": {"replicas": draw.choice((1, 2, 3)), "restartPolicy": "Never", "template": template(part)}}
    return document("kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": roles})


def volcano(draw, part):
    nodes = draw.choice((2, 3, 4))
    return document("batch.volcano.sh/v1alpha1", "Job", {"minAvailable": nodes, "schedulerName": "volcano", "plugins": {"env": [], "svc": []},
                                                         "tasks": [{"name": "worker", "replicas": nodes, "template": template(part)}]})


def lws(draw, part):
    return document("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {"replicas": draw.choice((1, 2)), "leaderWorkerTemplate": {"size": draw.choice((2, 3, 4)), "workerTemplate": {"spec": {"containers": [part]}}}})


def trainjob(draw, part):
    part = {key: part[key] for key in ("image", "command", "env") if key in part}
    return document("trainer.kubeflow.org/v1alpha1", "TrainJob", {"runtimeRef": {"name": "torch-distributed"}, "trainer": {
        **part, "numNodes": draw.choice((1, 2, 4)), "numProcPerNode": 1, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 1}}}})


GIVEN = {indexed_job: ("JOB_COMPLETION_INDEX",), jobset: ("JOB_COMPLETION_INDEX",), pytorchjob: ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"),
         volcano: ("VC_TASK_INDEX", "VK_TASK_INDEX", "VC_WORKER_HOSTS", "VC_WORKER_NUM"), lws: ("LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE", "LWS_WORKER_INDEX"),
         trainjob: ("PET_NNODES", "PET_NODE_RANK", "PET_MASTER_ADDR")}


def injected_variables(draw):
    """Words, texts and variables of a container read what its operator gives."""
    make = draw.choice(list(GIVEN))
    name = draw.choice(GIVEN[make])
    read = draw.choice((f"$({name})", f"$({name})", f"${name}", f"${{{name}}}"))
    program = draw.choice((["python", "t.py"], ["./solve"], ["python", "-m", "pkg.train"]))
    env = []
    if read.startswith("$("):
        how = draw.randrange(3)
        if how == 0:
            command = [*program, f"--with={read}"]
        elif how == 1:
            command = [*program, "--with", f"a-{read}-b", "$$(KEPT)"]
        else:
            env, command = [{"name": "OWN", "value": f"x{read}"}], [*program, "--with", "$(OWN)"]
    else:
        command = ["bash", "-c", draw.choice((f"{' '.join(program)} --with {read}", f"i={read}\n{' '.join(program)} --with=$i", f"exec {' '.join(program)} --with \"{read}\""))]
    return Variant(make(draw, container(draw, command, env)), ending="yaml")


def unlike_leader(draw):
    """The pods of one group run different programs."""
    size = draw.choice((2, 3, 4))
    shared = [{"name": "MODE", "value": draw.choice(("a", "b"))}] if draw.random() < 0.5 else []
    secret = {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}
    first, second = draw.choice(((["vllm", "serve", "big"], ["ray", "start", "--address=$(LWS_LEADER_ADDRESS):6379"]), (["bash", "-c", "./head.sh; ./serve"], ["bash", "-c", "./worker.sh"]),
                                 (["python", "serve.py", "--role=leader"], ["python", "serve.py", "--role=worker"]), (["python", "a.py"], ["python", "a.py"])))
    leader = container(draw, first, [*shared, *([secret] if draw.random() < 0.4 else [])], draw.choice((0, 1, 8)), "leader")
    worker = container(draw, second, [*shared, {"name": "TOKEN", "value": "plain"}] if draw.random() < 0.4 else shared, draw.choice((1, 8)), "worker")
    if draw.random() < 0.5:
        worker["image"] = leader["image"]
    return Variant(document("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {"replicas": draw.choice((1, 2)), "leaderWorkerTemplate": {
        "size": size, "leaderTemplate": {"spec": {"containers": [leader]}}, "workerTemplate": {"spec": {"containers": [worker]}}}}, "serve"), ending="yaml")


def elastic_size(draw):
    """`replicas` is how many pods there are, the range is what they may become."""
    low = draw.choice((1, 1, 2))
    size = draw.randint(low, 5)
    policy = {"minReplicas": low, "maxReplicas": draw.choice((size, size + 2, 16)), **({"rdzvBackend": "c10d"} if draw.random() < 0.8 else {}),
              **({"maxRestarts": draw.choice((3, 10))} if draw.random() < 0.5 else {})}
    processes = draw.choice(("1", "2", "4"))
    spec = {"elasticPolicy": policy}
    if draw.random() < 0.5:
        policy["nProcPerNode"] = int(processes)
    else:
        spec["nprocPerNode"] = processes
    command = draw.choice((["torchrun", "train.py"], ["torchrun", "-m", "pkg.train", "--lr", "1"], ["python", "-m", "torch.distributed.run", "train.py"], ["bash", "-c", "torchrun train.py --lr 1"]))
    part = container(draw, command, gpus=int(processes), name="pytorch")
    spec["pytorchReplicaSpecs"] = {"Worker": {"replicas": size, "restartPolicy": draw.choice(("OnFailure", "Never")), "template": template(part, "Never")}}
    return Variant(document("kubeflow.org/v1", "PyTorchJob", spec, "elastic"), ending="yaml")


def token(draw):
    letters = string.ascii_letters + string.digits
    name, prefix, length = draw.choice((("HF_TOKEN", "hf_", 34), ("HUGGING_FACE_HUB_TOKEN", "hf_", 34), ("GITHUB_TOKEN", "ghp_", 36), ("AWS_ACCESS_KEY_ID", "AKIA", 16)))
    return name, prefix + "".join(draw.choice(letters if prefix != "AKIA" else string.ascii_uppercase + "234567") for _ in range(length))


def secrets_of_manifests(draw):
    """A token that stands in a manifest."""
    name, value = token(draw)
    make = draw.choice(list(GIVEN))
    place = draw.randrange(4)
    env = [{"name": name, "value": value}] if place in (0, 1) else []
    command = {0: ["python", "t.py"], 1: ["bash", "-c", "python t.py --lr 1"], 2: ["python", "t.py", draw.choice((f"--token={value}", value))],
               3: ["bash", "-c", draw.choice((f"export {name}={value}\npython t.py", f"{name}={value} python t.py", f"huggingface-cli login --token {value}; python t.py"))]}[place]
    return Variant(make(draw, container(draw, command, env)), ending="yaml", never=value)


MANIFESTS = {"variables of an operator": injected_variables, "unlike pods of a group": unlike_leader, "size of an elastic job": elastic_size, "secrets of manifests": secrets_of_manifests}


# ---- images ------------------------------------------------------------------------------------

TARGETS = ("kubernetes", "jobset", "pytorchjob", "trainjob", "volcano", "slurm")


def image_of_software(draw):
    """Software that has an image has it, whatever the site's defaults say; on Slurm its modules and its venv come first. The text is the workload, `then` its site, `given` (target, image)."""
    target = draw.choice(TARGETS)
    nodes = draw.choice((1, 2, 4)) if target != "kubernetes" else 1
    wanted = f"registry.example/llm:{draw.randint(1, 99)}"
    name = draw.choice(("llm", "torch", "md"))
    more = draw.choice(("", "", '  venv = "/opt/venv"', '  modules = ["cuda/12"]')) if target == "slurm" else ""
    lines = [f'  software {name} {{ image = "{wanted}"{more} }}', f'  software other {{ image = "registry.example/other:1" }}',
             f'  defaults {{ retry = default  cpus = default  memory = default  image = "registry.example/base:{draw.randint(1, 9)}" }}']
    draw.shuffle(lines)
    plane = "kind = slurm  containers = pyxis" if target == "slurm" else f'kind = kubernetes  gang = {"volcano" if target == "volcano" else "kueue"}  version = "1.34"'
    site = "\n".join(["site s {", f"  plane p {{ {plane} }}", '  queue q { name = "q"  default = true }', *lines, "}", ""])
    runner = "torchrun" if target in ("pytorchjob", "trainjob") or draw.random() < 0.5 else "none"
    uses = draw.choice((f"software = {name}", f"software = {name}", f"software {{ use = {name} }}"))
    body = [f"  kind = {'train' if nodes > 1 else 'batch'}", f"  {uses.replace('software { use = ' + name + ' }', 'software = ' + name)}", f"  nodes = {nodes}", "  gpus = 1", f"  launch {{ runner = {runner} }}",
            '  command = ["train.py"]' if runner == "torchrun" else '  command = ["python", "train.py"]']
    return Variant("\n".join(["workload w {", *body, "}", ""]), given=(target, "" if more else wanted), then=site, ending="muster")


IMAGES = {"image of software": image_of_software}

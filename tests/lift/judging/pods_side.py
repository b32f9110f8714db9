"""The same workload on pods: a site that has what the workload names, and the pods that operators make of the manifest."""
import base64
import pathlib
import re
import tempfile

from judges import pods

GPU = re.compile(r"(nvidia|amd)\.com/(gpu|mig-.*)")
MOST_PODS = 32


def site(text):
    """A cluster that answers what a lifted workload asks of its site: queues, software as images, storage, secrets."""
    lines = ['  plane cloud { kind = kubernetes  version = "1.34"  gang = kueue }']
    queues = named(text, "queue")
    lines += [f'  queue {quoted(name)} {{ name = "{name}" }}' for name in queues] or ['  queue main { name = "main"  default = true }']
    lines += [f'  gpu {quoted(name)} {{ label = "{name}" }}' for name in named(text, "gpu") if not name.isdigit()]
    lines += [f'  software {quoted(name)} {{ image = "registry.example/{name}:1" }}' for name in named(text, "software")]
    lines += [f'  storage {quoted(name)} {{ pvc = "{name}" }}' for name in sorted(set(re.findall(r"(?m)^\s*mount\s+([\w-]+)\s*\{", text)) - {"scratch"})]
    lines += [f'  secret {name} {{ name = "s"  key = "{name}" }}' for name in sorted(set(re.findall(r"(?m)^\s*secret\s+(\w+)\b", text)))]
    return "\n".join(["site pods {", *lines, "  defaults { retry = default  cpus = default  memory = default }", "}", ""])


def named(text, key):
    return sorted(set(re.findall(rf"(?m)^\s*{key}\s*=\s*\"?([\w.-]+)", text)))


def quoted(name):
    return name if re.fullmatch(r"[A-Za-z_][\w-]*", name) else f'"{name}"'


def manifest(muster, workload, folder, values, own_site=None):
    """(the manifest's path or None, what compile said); `values`: options that give its parameters. A workload without software gets an image: a person would have been asked."""
    text = workload.read_text(encoding="utf-8", errors="surrogateescape")
    if not re.search(r"(?m)^\s*(image|software)\s*=", text):
        text = re.sub(r"(?m)^(workload .*\{)$", r'\1\n  image = "registry.example/none:1"', text, count=1)
    several = re.search(r"\bnodes\s*=\s*([2-9]|\d\d)", text)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / workload.name).write_text(text, encoding="utf-8", errors="surrogateescape")
    if own_site is None:
        own_site = folder / "pods-site.muster"
        own_site.write_text(site(text))
    done = muster.run("compile", folder / workload.name, "--site", own_site, "--target", "jobset" if several else "kubernetes", "--diagnostics", "short", "-o", folder / "out", *values)
    if done.returncode:
        return None, done.stderr.strip()
    return next((folder / "out").glob("*.yaml"), None), done.stderr.strip()


def runs(path, positions, count):
    """What each pod is to run, as plain data for a world; of a sweep only the points at `positions`."""
    read = pods.read(path)
    found = pods.pods_of(read)
    nodes = [{pod.name, f"{pod.name}.{read.documents[0]['metadata']['name']}", f"10.0.0.{number + 1}"} for number, pod in enumerate(found)]
    alone = bool(count) and len(found) == count  # each point is a job of its own
    if alone:
        chosen = [(found[i], i) for i in positions]
    else:
        chosen = [(pod, i) for i, pod in enumerate(found)][:MOST_PODS]
    out = []
    for pod, number in chosen:
        env = pods.environment(pod, number)
        container = pod.container
        limits = container.get("resources", {}).get("limits", {})
        env["STUB_GPUS"] = str(sum(int(many) for name, many in limits.items() if GPU.fullmatch(name)))
        asked = container.get("resources", {})
        env["STUB_CPUS"] = str({**asked.get("limits", {}), **asked.get("requests", {})}.get("cpu", "1"))
        env["STUB_NODES"] = ",".join("|".join(sorted(names)) for names in ([nodes[number]] if alone else nodes))
        env["STUB_TASK"] = str(number if alone else 0)
        words = [pods.expanded(word, env) for word in [*container.get("command", []), *container.get("args", [])]]
        out.append({"words": words, "env": env, "folder": container.get("workingDir", ""), "files": files(read, pod)})
    return {"pods": out, "hosts": [sorted(names, key=lambda name: not name.startswith("10.")) for names in nodes]}


def asked(path):
    """Which resources the manifest asks for, whatever its kind."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    return [name for name, pattern in (("cpu", r"(?m)^\s*cpu:"), ("memory", r"(?m)^\s*memory:"), ("time", "activeDeadlineSeconds")) if re.search(pattern, text)]


def files(read, pod):
    """{absolute path: bytes} of ConfigMaps, and empty folders of other volumes (None)."""
    with tempfile.TemporaryDirectory() as root:
        pods.mount(read, pod, pathlib.Path(root))
        return {"/" + str(path.relative_to(root)): None if path.is_dir() else base64.b64encode(path.read_bytes()).decode() for path in sorted(pathlib.Path(root).rglob("*"))}

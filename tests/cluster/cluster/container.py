"""What a container's program sees: its own command runs in a root of its own with nothing of this machine but /usr,
read-only, no network, and stubs for programs. The first stub that is called writes down its words and environment."""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from . import pods

STUBS = ("torchrun", "ray", "python", "python3", "accelerate", "deepspeed", "vllm", "sglang", "lmp_mpi", "all_reduce_perf", "mpirun", "mpiexec", "nvidia-smi", "ssh",
         "sshd", "trl", "git", "probe", "jupyter")
STUB = """#!/bin/sh
[ -e /result/env ] || { printf '%s\\0' "${0##*/}" "$@" > /result/argv; env -0 > /result/env; }
"""
# Of this machine's root: what every container gets. Folders are mounted, links and files are the container's own.
TOP = ("bin", "sbin", "lib", "lib64")
DEVICES = ("null", "zero", "urandom")
OF_ETC = ("ld.so.cache", "passwd", "group")
# $0 becomes the root, with folders of the base $1. Processes and mounts end with it.
CAGE = """
set -e; cd "$0"; base=$1; shift
for each in usr dev etc/alternatives $SAME; do mount --rbind "$base/$each" "$each"; done
mount -t proc proc proc 2>/dev/null || :
exec chroot . "$@"
"""


class Base:
    """What the roots of all containers have in common, mounted once: /usr, read-only, some devices, the stub for sshd.
    Its folder is no part of another, so that nobody removes what is mounted there with a tree of files."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-base-"))
        self.links = {name: os.readlink(f"/{name}") for name in TOP if os.path.islink(f"/{name}")}
        self.same = [name for name in TOP if os.path.isdir(f"/{name}") and name not in self.links]

    def make(self):
        self.mount("-t", "tmpfs", "tmpfs", self.folder)
        for name in ("usr", "etc/alternatives", *self.same):
            (self.folder / name).mkdir(parents=True)
            self.mount("--bind", f"/{name}", self.folder / name)
            self.mount("-o", "remount,bind,ro", self.folder / name)
        self.mount("-t", "tmpfs", "tmpfs", self.folder / "usr/sbin")
        write_stub(self.folder / "usr/sbin/sshd")
        (self.folder / "dev").mkdir()
        for name in DEVICES:
            (self.folder / "dev" / name).touch()
            self.mount("--bind", f"/dev/{name}", self.folder / "dev" / name)

    def remove(self):
        subprocess.run(["umount", "-R", "-l", self.folder], check=False, stderr=subprocess.DEVNULL)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def mount(self, *words):
        subprocess.run(["mount", *map(str, words)], check=True)

    def prepare(self, root):
        """The places of a container's root, before anything else is in it."""
        for name in ("usr", "dev", "proc", "tmp", "etc/alternatives", *self.same):
            (root / name).mkdir(parents=True)
        for name, target in self.links.items():
            (root / name).symlink_to(target)
        for name in OF_ETC:
            if os.path.exists(f"/etc/{name}"):
                shutil.copy(f"/etc/{name}", root / "etc" / name)


class Seen:
    """The end of a container: the words and variables of the first program that it called."""

    def __init__(self, code, error, argv, env):
        self.code, self.error, self.argv, self.env = code, error, argv, env

    def option(self, *names):
        """The value of the first of these long options among the program's words."""
        for i, word in enumerate(self.argv or []):
            name, equals, value = word.partition("=")
            if name.startswith("--") and name[2:].replace("_", "-") in names:
                return value if equals else (self.argv[i + 1] if i + 1 < len(self.argv) else None)
        return None


def main(pod):
    """The container that does the work: the one with the most GPUs, else the first."""
    def held(container):
        limits = (container.get("resources") or {}).get("limits") or {}
        return sum(int(value) for name, value in limits.items() if name.endswith("/gpu") or "/mig-" in name)
    return max(pod["spec"]["containers"], key=held)


def expanded(word, env):
    """`$(NAME)` as Kubernetes replaces it: `$$` is a `$`, unknown names stay."""
    return re.sub(r"\$\$|\$\((\w[\w.-]*)\)", lambda match: "$" if match[0] == "$$" else env.get(match[1], match[0]), word)


def field(pod, path):
    match = re.fullmatch(r"metadata\.(annotations|labels)\['([^']+)'\]", path)
    if match:
        return (pod["metadata"].get(match[1]) or {}).get(match[2], "")
    found = pod
    for part in path.split("."):
        found = found.get(part, "") if isinstance(found, dict) else ""
    return found


class Runner:
    """Runs the containers of a namespace's pods."""

    def __init__(self, space, base, folder):
        self.space, self.base, self.folder = space, base, folder
        self.configs = {}

    def config(self, name):
        if name not in self.configs:
            found = self.space.api.find(f"/api/v1/namespaces/{self.space.name}/configmaps/{name}")
            self.configs[name] = (found or {}).get("data") or {}
        return self.configs[name]

    def environment(self, pod, container):
        """Variables in order, as a kubelet makes them; a secret reads `secret`."""
        env = {}
        for item in container.get("envFrom", []):
            if "configMapRef" in item:
                env.update({item.get("prefix", "") + key: value for key, value in self.config(item["configMapRef"]["name"]).items()})
        for item in container.get("env", []):
            source = item.get("valueFrom") or {}
            if "fieldRef" in source:
                value = field(pod, source["fieldRef"]["fieldPath"])
            elif "configMapKeyRef" in source:
                value = self.config(source["configMapKeyRef"]["name"]).get(source["configMapKeyRef"]["key"], "")
            elif "resourceFieldRef" in source:
                group, _, name = source["resourceFieldRef"]["resource"].partition(".")
                value = ((container.get("resources") or {}).get(group) or {}).get(name, "")
            elif "secretKeyRef" in source:
                value = "secret"
            else:
                value = expanded(str(item.get("value", "")), env)
            env[item["name"]] = str(value)
        return env

    def files(self, pod, volume):
        """{path: text} of a volume that has files."""
        found = {}
        for source in volume["projected"].get("sources", []) if "projected" in volume else [volume]:
            if "configMap" in source:
                data, chosen = self.config(source["configMap"].get("name")), source["configMap"].get("items")
                found.update({item["path"]: data.get(item["key"], "") for item in chosen} if chosen else data)
            for item in (source.get("downwardAPI") or {}).get("items", []):
                found[item["path"]] = str(field(pod, item["fieldRef"]["fieldPath"])) if "fieldRef" in item else ""
        return found

    def mount(self, pod, container, root):
        volumes = {volume["name"]: volume for volume in pod["spec"].get("volumes", [])}
        for place in container.get("volumeMounts", []):
            at, files = root / place["mountPath"].lstrip("/"), self.files(pod, volumes.get(place["name"], {}))
            if place.get("subPath") in files:
                files, at = {at.name: files[place["subPath"]]}, at.parent
            at.mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                (at / name).parent.mkdir(parents=True, exist_ok=True)
                (at / name).write_text(text)
                (at / name).chmod(0o755)

    def run(self, pod, limit=20):
        container = main(pod)
        env = self.environment(pod, container)
        argv = [expanded(word, env) for word in [*(container.get("command") or ["entrypoint"]), *(container.get("args") or [])]]
        root = pathlib.Path(tempfile.mkdtemp(prefix="pod.", dir=self.folder))
        try:
            self.base.prepare(root)
            (root / "result").mkdir()
            self.mount(pod, container, root)
            stub(root, argv)
            at = container.get("workingDir") or "/"
            (root / at.lstrip("/")).mkdir(parents=True, exist_ok=True)
            base = {"HOSTNAME": pod["spec"].get("hostname") or pod["metadata"]["name"], **env, "PATH": "/stub:" + env.get("PATH", "/usr/local/bin:/usr/bin:/bin")}
            words = ["unshare", "-m", "-n", "-p", "-f", "--kill-child", "--propagation", "private", "sh", "-c", CAGE.replace("$SAME", " ".join(self.base.same)), str(root), str(self.base.folder),
                     "/usr/bin/env", "-i", "-C", at, *(f"{name}={value}" for name, value in base.items()), *argv]
            return end_of(words, root, limit)
        finally:
            shutil.rmtree(root, ignore_errors=True)


def stub(root, argv):
    """Stubs for all programs that this machine lacks or that must not run; the image's own command is one."""
    wanted = {pathlib.PurePath(name).name for name in STUBS}
    if not any(os.path.exists(f"{folder}/{argv[0]}") for folder in ("/usr/bin", "/bin", "")) and not (root / argv[0].lstrip("/")).exists():
        argv[0] = pathlib.PurePath(argv[0]).name
        wanted.add(argv[0])
    (root / "stub").mkdir()
    for name in wanted:
        write_stub(root / "stub" / name)


def write_stub(path):
    path.write_text(STUB)
    path.chmod(0o755)


def end_of(words, root, limit):
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=limit)
        code, error = done.returncode, done.stderr.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        code, error = 124, f"no end after {limit} s"

    def read(name):
        path = root / "result" / name
        return os.fsdecode(path.read_bytes()).split("\0")[:-1] if path.exists() else None
    env = dict(line.split("=", 1) for line in read("env") or [])
    return Seen(code, error.strip()[-300:], read("argv"), env)


def ranks(space, runner):
    """(words, faults) on ranks, numbers of nodes and heads of the running pods, from what their programs see."""
    dns, everyone, faults, sets = pods.names(space), space.running(), [], {}
    for pod in everyone:
        seen, name = runner.run(pod), pod["metadata"]["name"]
        if seen.code or seen.argv is None:
            faults.append(f"{name}: its command ends with {seen.code}{'' if seen.argv else ' and calls no program'}: {seen.error}")
            continue
        env = seen.env
        rank = first(seen.option("node-rank"), env.get("PET_NODE_RANK"), env.get("MUSTER_NODE_RANK"), env.get("RANK"), env.get("LWS_WORKER_INDEX"), env.get("JOB_COMPLETION_INDEX"))
        head = first(host(seen.option("master-addr", "rdzv-endpoint")), env.get("PET_MASTER_ADDR"), host(env.get("PET_RDZV_ENDPOINT")), env.get("MUSTER_HEAD_ADDR"), env.get("MASTER_ADDR"),
                     env.get("LWS_LEADER_ADDRESS"), env.get("FQ_RAY_IP"))
        nodes = first(seen.option("nnodes"), env.get("PET_NNODES"), env.get("MUSTER_NODES"), env.get("LWS_GROUP_SIZE"))
        if head and not answer(head, space, dns, pod, everyone):
            faults.append(f"{name}: no pod answers for its head {head}")
        of_ray = "ray.io/cluster" in (pod["metadata"].get("labels") or {})  # it numbers no nodes
        if head and nodes and nodes.isdigit() and int(nodes) > 1 and not of_ray:
            sets.setdefault((pods.role(pod), env.get("MUSTER_REPLICA", ""), head, int(nodes)), []).append(rank)
    for (role, replica, head, nodes), found in sorted(sets.items()):
        if role != "" and sorted(str(rank) for rank in found) != sorted(str(i) for i in range(nodes)):
            faults.append(f"ranks of {role or 'the pods'}{' ' + replica if replica else ''} at {head}: {sorted(map(str, found))} of {nodes}")
    return faults


def first(*values):
    return next((value for value in values if value not in (None, "")), None)


def host(address):
    return address.rsplit(":", 1)[0] if address else None


def answer(head, space, dns, pod, everyone):
    """The pod that answers for a head's name, as the pod itself looks it up."""
    short = re.sub(rf"\.{re.escape(space.name)}(\.svc.*)?$", "", head)
    if head in (pod["status"].get("podIP"), pod["metadata"]["name"], "localhost", "127.0.0.1"):
        return pod["metadata"]["name"]
    by_address = {other["status"].get("podIP"): other["metadata"]["name"] for other in everyone}
    return dns.get(head) or dns.get(short) or by_address.get(head)

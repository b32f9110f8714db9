"""The programs and objects that a cluster is made of, unpacked into a cache folder."""
import gzip
import hashlib
import json
import lzma
import os
import pathlib

import yaml

OPERATORS = ("kueue", "jobset", "volcano", "training-operator", "trainer", "kuberay", "lws", "mpi-operator")
PROGRAMS = {"volcano": ("vc-webhooks", "vc-controllers", "vc-scheduler"), "keda": ("keda-webhooks",),
            "kai": ("kai-podgrouper", "kai-podgroupcontroller", "kai-queuecontroller", "kai-binder", "kai-scheduler")}  # of the others: one, of the same name
PUBLISHED = {"keda.crds": "keda.sh_*.yaml"}  # definitions among the shared schemas, where the parts have none


def cache():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "muster-cluster"


def source():
    """The folder with bin/ and objects/, or None: MUSTER_CLUSTER, that of the shared facts, or what `build` made."""
    shared = os.environ.get("MUSTER_SHARED")
    for folder in (os.environ.get("MUSTER_CLUSTER"), shared and f"{shared}/cluster-sandbox", cache() / "built"):
        if folder and (pathlib.Path(folder) / "objects").is_dir() and any((pathlib.Path(folder) / "bin").glob("kube*")):
            return pathlib.Path(folder)
    return None


class Parts:
    def __init__(self, folder):
        self.folder = folder
        self.kube = os.environ.get("MUSTER_KUBE")  # another control plane
        self.folders = list(dict.fromkeys((folder, cache() / "built")))  # what the first lacks may have been built
        stamp = "".join(f"{path.name} {path.stat().st_size}\n" for path in sorted((folder / "bin").iterdir()))
        stamp += f"{os.stat(self.kube).st_size}\n" if self.kube else ""
        self.cache = cache() / hashlib.sha256(stamp.encode()).hexdigest()[:12]
        self.cache.mkdir(parents=True, exist_ok=True)

    def program(self, name):
        """The path of a program that can be started; one that is packed is unpacked once a machine."""
        if name == "kube" and self.kube:
            return pathlib.Path(self.kube)
        for folder in self.folders:
            if (folder / "bin" / name).exists():
                return folder / "bin" / name
            if (folder / "bin" / f"{name}.xz").exists():
                break
        packed, path = self.folder / "bin" / f"{name}.xz", self.cache / name
        if not path.exists():
            partial = self.cache / f"{name}.{os.getpid()}"
            with lzma.open(packed) as source_, open(partial, "wb") as out:
                while block := source_.read(1 << 20):
                    out.write(block)
            partial.chmod(0o755)
            partial.rename(path)
        return path

    def objects(self, name):
        """The objects of a list such as `kueue.crds`; an operator may have none."""
        for folder in self.folders:
            for path, opener in ((folder / "objects" / f"{name}.json", open), (folder / "objects" / f"{name}.json.gz", gzip.open)):
                if path.exists():
                    with opener(path, "rt") as text:
                        return json.load(text)["items"]
        return self.published(name)

    def published(self, name):
        shared = os.environ.get("MUSTER_SHARED")
        found = pathlib.Path(shared, "schemas/crds").glob(PUBLISHED[name]) if shared and name in PUBLISHED else ()
        return [yaml.safe_load(path.read_text()) for path in sorted(found)]

    def has(self, operator):
        """Whether the programs of an operator are there."""
        return all(any(path.exists() for folder in self.folders for path in (folder / "bin" / name, folder / "bin" / f"{name}.xz"))
                   for name in PROGRAMS.get(operator, (operator,)))

    def snapshot(self, operators):
        """Where etcd is kept as it is with the CRDs of these operators."""
        stamp = hashlib.sha256(" ".join(sorted(operators)).encode())
        for name in sorted(operators):
            stamp.update(json.dumps(self.objects(f"{name}.crds")).encode())
        return self.cache / f"etcd-{stamp.hexdigest()[:12]}"

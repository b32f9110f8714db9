"""Worlds from outside: what a batch of scripts needs, several worlds at a time, and what comes back."""
import ast
import base64
import concurrent.futures
import os
import pathlib
import queue
import re
import subprocess
import sys

from corpus import directives, needs

HERE = pathlib.Path(__file__).resolve().parent
MOST_NODES, MOST_TASKS, MOST_NAMED = 16, 64, 12
PREFIX = "judgenode"


class Fleet(needs.Needs):
    """The names that a batch of scripts uses, on nodes that run."""

    def plan(self):
        count = min(MOST_NODES, max(4, *self.wanted))
        types = sorted(kind for kind in self.nodes if kind) or [""]
        letters = [chr(97 + i // 26) + chr(97 + i % 26) for i in range(len(types))]
        devices = [(f"gpu-{letter}-", 16) for letter in letters]
        gpus = [f"gpu:{kind}:16" if kind else "gpu:16" for kind in types]
        others = [f"{gres}:{kind}:1T" if kind else f"{gres}:1T" for gres, kinds in sorted(self.gres.items()) for kind in sorted(kinds) or [""]]
        rest = (f"CPUs=256 Sockets=2 CoresPerSocket=64 ThreadsPerCore=2 RealMemory={needs.MEMORY_MB} TmpDisk=100000000 Gres={','.join(gpus + others)} "
                f"Feature={','.join(sorted(self.features)) or 'none'} State=UNKNOWN")
        names = [f"{PREFIX}{i + 1:02d}" for i in range(count)]
        nodes = [{"name": name, "rest": rest} for name in names] + [{"name": name, "rest": rest + " Weight=100"} for name in sorted(self.named_nodes)[:MOST_NAMED]]
        gres = [f"Name=gpu {f'Type={kind} ' if kind else ''}File=/dev/{name}[0-{many - 1}]" for kind, (name, many) in zip(types, devices)]
        gres += [f"Name={name} {f'Type={kind} ' if kind else ''}Count=1T" for name, kinds in sorted(self.gres.items()) for kind in sorted(kinds) or [""]]
        lines = [f"GresTypes={','.join(['gpu', *sorted(self.gres)])}"]
        if self.licences:
            lines.append("Licenses=" + ",".join(f"{name}:1000000" for name in sorted(self.licences)))
        partitions = [f"PartitionName={name} Nodes=ALL MaxTime=INFINITE" for name in sorted(self.partitions - {"judge"})]
        return {"nodes": nodes, "devices": devices, "gres": "\n".join(gres) + "\n", "lines": "\n".join(lines) + "\n", "reservations": sorted(self.reservations),
                "partitions": "\n".join([*partitions, "PartitionName=judge Nodes=ALL Default=YES MaxTime=INFINITE"]) + "\n"}

    def __init__(self, texts=()):
        self.wanted = [1]
        super().__init__(texts)

    def add(self, text):
        super().add(text)
        self.wanted.append(min(size(text)[0], MOST_NODES))


def size(text):
    """(nodes, tasks) that the directives ask for, at least."""
    asked = {"nodes": 1, "ntasks": 1, "ntasks-per-node": 1, "cpus-per-task": 1}
    for option, value in directives.options(text):
        if option in asked and (number := re.match(r"(\d+)(k?)", value.split("-")[-1].lower())):
            asked[option] = int(number[1]) * (1000 if number[2] else 1)
    tasks = max(asked["ntasks"], asked["nodes"] * asked["ntasks-per-node"])
    return max(asked["nodes"], -(-tasks * asked["cpus-per-task"] // 256)), tasks


def item(blob, script, result, options, result_options, tasks, text, chdir, failing, arguments, result_arguments, pods=None):
    """One script for a world: names and bytes, since a world sees no file of the machine."""
    def packed(path):
        return (script.name.removesuffix(".sbatch"), base64.b64encode(path.read_bytes()).decode()) if path else None
    return {"blob": blob, "file": packed(script), "result": packed(result), "options": options, "result_options": result_options, "tasks": tasks, "text": text, "chdir": chdir,
            "failing": failing, "arguments": arguments, "result_arguments": result_arguments, "pods": pods}


def run(folder, batches, workers):
    """Yields what happened to each item of (texts, items) batches, as worlds end them."""
    done = queue.Queue()

    def one(number, batch):
        try:
            for line in world(folder / f"world-{number}", *batch):
                done.put(line)
        finally:
            done.put(None)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for number, batch in enumerate(batches):
            pool.submit(one, number, batch)
        left = len(batches)
        while left:
            line = done.get()
            if line is None:
                left -= 1
            else:
                yield line


def world(folder, texts, items):
    (folder / "root").mkdir(parents=True)
    (folder / "batch").write_text(ascii({"fleet": Fleet(texts).plan(), "items": items}), encoding="ascii")
    process = subprocess.Popen(["unshare", "--mount", "--pid", "--net", "--uts", "--ipc", "--fork", "--kill-child", sys.executable, HERE / "inside.py", folder],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": os.environ.get("HOME", "/")})
    seen = set()
    for line in process.stdout:
        out = ast.literal_eval(line)
        seen.add(out["blob"])
        yield out
    said = process.stderr.read()
    process.wait()
    for each in items:
        if each["blob"] not in seen:
            yield {"blob": each["blob"], "broken": f"the world ended: {said[-1200:]}"}

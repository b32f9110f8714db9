"""The process inside a world: reads a batch of scripts, runs each as original and as result, prints what happened, one line each.

    unshare --mount --pid --net --uts --ipc --fork --kill-child python3 inside.py FOLDER
FOLDER has `batch` (Python data) and an empty folder `root`. Python 3.11, standard library."""
import ast
import base64
import encodings.idna  # noqa: F401  (what is imported late would not be found in the new root)
import glob  # noqa: F401
import hashlib  # noqa: F401
import os
import pathlib
import sys
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from judging import fleet, manifest_runs, pods_run, runs, world  # noqa: E402


def main(folder):
    with open(f"{folder}/batch", encoding="ascii") as file:
        batch = ast.literal_eval(file.read())
    world.enter(f"{folder}/root", os.path.realpath(sys.base_prefix))
    for name, count in batch["fleet"]["devices"]:
        for i in range(count):
            os.symlink("/dev/null", f"/dev/{name}{i}")
    with open("/etc/hosts", "w", encoding="ascii") as hosts:
        hosts.write("127.0.0.1 localhost\n" + "".join(f"10.77.0.{i + 1} {node['name']}\n" for i, node in enumerate(batch["fleet"]["nodes"])))
    slurms = [fleet.Slurm(name, port, batch["fleet"]).up() for name, port in (("first", 6800), ("second", 8800))]
    bench = runs.Bench()
    for item in batch["items"]:
        try:
            for key in ("file", "result"):
                if item.get(key):
                    place(item, key)
            out = manifest_runs.pair(bench, slurms, item) if "same" in item else runs.pair(bench, slurms, item, pods_run.run)
        except Exception:  # noqa: BLE001
            out = {"broken": traceback.format_exc()[-1500:]}
        print(ascii({"blob": item["blob"], **out}), flush=True)


def place(item, key):
    """The bytes of a script as a file of its own name."""
    name, data = item[key]
    path = f"/slurm/{key}/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(base64.b64decode(data))
    item[key] = path


main(sys.argv[1])

"""The containers of pods, started in a world: each sees its own volumes, and all the same stubs."""
import base64
import os
import pathlib
import shutil
import subprocess
import time

from . import runs, world

TOOLS = "/.real/usr/bin/"
SECONDS = 12


def run(bench, item, learnt, failing=False):
    bench.furnish(item, learnt)
    if failing:
        open("/.rec/failing", "w").close()
    plan = item["pods"]
    places = (*world.TOPS, *bench.extra)
    tree = world.tree(places)
    with open("/etc/hosts", encoding="ascii") as file:
        before = file.read()
    with open("/etc/hosts", "a", encoding="ascii") as file:
        file.writelines(" ".join(names) + "\n" for names in plan["hosts"])
    try:
        started = [start(pod, number) for number, pod in enumerate(plan["pods"])]
        end = time.monotonic() + SECONDS
        codes, unended = {}, ""
        for number, process in enumerate(started):
            try:
                codes[str(number)] = f"{process.wait(max(0.1, end - time.monotonic()))}:0"
            except subprocess.TimeoutExpired:
                unended = "time"
        world.end_processes()
    finally:
        with open("/etc/hosts", "w", encoding="ascii") as file:
            file.write(before)
    return {"job": 0, "codes": codes, "unended": unended, "log": runs.log(), "errors": runs.errors(), "tree": {}, "lost": runs.lost(tree, world.tree(places))}


def start(pod, number):
    """One container: its volumes are bound in a mount namespace of its own, then it runs as the user of all jobs."""
    root = pathlib.Path(f"/slurm/pods/{number}")
    shutil.rmtree(root, ignore_errors=True)
    volumes = set()
    for path, data in pod["files"].items():
        place = root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if data is None:
            place.mkdir(exist_ok=True)
        else:
            place.write_bytes(base64.b64decode(data))
            place.chmod(0o755)
        volumes.add("/" + "/".join(path.split("/")[1:2]) if not path.startswith("/dev/") else "")
    binds = []
    for volume in sorted(volumes - {""}):
        if world.protected(volume) or volume in ("/usr", "/home", "/tmp", "/var"):
            continue
        os.makedirs(volume, exist_ok=True)
        binds.append(f"{TOOLS}mount --bind '{root}{volume}' '{volume}'")
    for base, names, files_ in os.walk(root):
        for name in ["", *names, *files_]:
            os.chown(os.path.join(base, name), world.USER, world.USER)
    folder = pod["folder"] or runs.WHERE
    world.give_folder(folder)
    script = "\n".join([*binds, f"cd '{folder}' || exit 126", f'exec {TOOLS}setpriv --reuid={world.USER} --regid={world.USER} --clear-groups {TOOLS}env -i "$@"'])
    env = {**runs.ENVIRONMENT, **pod["env"]}
    words = [f"{TOOLS}unshare", "--mount", f"{TOOLS}bash", "-c", script, "pod", *(f"{name}={value}" for name, value in env.items()), *pod["words"]]
    with open(f"/.rec/err.pod{number}", "w", encoding="utf-8") as errors:
        return subprocess.Popen(words, env={"PATH": TOOLS.rstrip("/")}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)

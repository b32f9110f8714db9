"""One manifest in a world: its own containers, those of what came back, and the job of Slurm."""
import os

from . import pods_run, runs, world


def pair(bench, slurms, item):
    seen, learnt = original(bench, item)
    out = {"before": seen}
    if item["same"]:
        out["same"] = pods_run.run(bench, {**item, "pods": item["same"]}, learnt)
    if item.get("result"):
        volumes = {("folder", path) for pod in item["before"]["pods"] for path, data in pod["files"].items() if data is None}
        bench.furnish(item, learnt | volumes)  # as the container of the job finds them
        for _, path in volumes:
            if os.path.isdir(path) and not world.protected(path):
                os.chown(path, world.USER, world.USER)
        for name in item["secrets"]:
            with open(f"{world.HOME}/{name}", "w", encoding="utf-8") as file:
                file.write("secret")
            os.chown(f"{world.HOME}/{name}", world.USER, world.USER)
        out["slurm"] = bench.run(slurms[1], item["result"], item["options"], item["tasks"])
    return out


def original(bench, item):
    """The original, again until it finds what it looks for."""
    learnt = {("program", path) for path in item["programs"]} | {("folder", pod["folder"]) for pod in item["before"]["pods"] if pod["folder"]}
    for _ in range(runs.ROUNDS):
        seen = pods_run.run(bench, {**item, "pods": item["before"]}, learnt)
        more = runs.missing("\n".join(seen["errors"]) if isinstance(seen["errors"], list) else seen["errors"], {runs.WHERE, *(record["c"] for record in seen["log"])}, learnt)
        if seen["unended"] or not more:
            break
        learnt |= more
    return seen, learnt

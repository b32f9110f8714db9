"""The run-time contract: the same program finds the same MUSTER_* on every target of pods, and what Slurm gives it.

Every pod of a manifest is started with the environment that its operator injects; `probe` writes down what it sees.
The sbatch file of the same spec is run with stubs of `srun` and `scontrol`; what they give is what slurm-run saw."""
import copy
import os
import re
import stat
import sys

from . import cases, lib, manifests, pods

SPECS = lib.HERE / "specs" / "contract"
# They name things of the plane: an address, a folder, a number of the scheduler's.
OF_THE_PLANE = ("MUSTER_ID", "MUSTER_NODE_ADDR", "MUSTER_HEAD_ADDR", "MUSTER_PORT", "MUSTER_DIR", "MUSTER_TMP", "MUSTER_HOSTFILE", "MUSTER_MEMORY_MB")
# What the prelude asks the plane for on its way.
HELPERS = ("MUSTER_UID", "MUSTER_RETRIES", "MUSTER_OBJECT", "MUSTER_RAY_RANK", "MUSTER_RAY_CLUSTER", "MUSTER_INDEX")
RAY_NAMES = ("RAY_ADDRESS",)

SRUN = "#!" + sys.executable + r"""
import os, subprocess, sys
nodes, words = int(os.environ["SLURM_JOB_NUM_NODES"]), sys.argv[1:]
while words and words[0].startswith("-"):
    words.pop(0)
codes = []
for i in range(nodes):
    env = {**os.environ, "SLURM_NODEID": str(i), "SLURM_PROCID": str(i), "SLURMD_NODENAME": f"n{i + 1}", "SLURM_STEP_NUM_NODES": str(nodes)}
    codes.append(subprocess.run(words, env=env).returncode)
sys.exit(max(codes))
"""
SCONTROL = """#!/bin/sh
i=1
while [ "$i" -le "$SLURM_JOB_NUM_NODES" ]; do echo "n$i"; i=$((i + 1)); done
"""


def names(env):
    return {key: value for key, value in env.items() if key.startswith(("MUSTER_", "PET_")) and key not in HELPERS}


def portable(env):
    """What must be alike wherever the program runs. The port of a rendezvous is the launcher's own affair."""
    return {key: value for key, value in names(env).items() if key not in (*OF_THE_PLANE, "PET_MASTER_ADDR", "PET_MASTER_PORT")}


def hostfile(env):
    path = env.get("MUSTER_HOSTFILE", "")
    return open(path, encoding="utf-8").read().splitlines() if os.path.exists(path) else []


def on_slurm(shop, machine, spec, nodes, folder, variables=()):
    """What each node's program writes down; nothing where the target refuses."""
    text = cases.at_root(spec.read_text(), folder)
    (folder / spec.name).write_text(text)
    site = folder / "site.muster"
    site.write_text(cases.at_root((SPECS / "sites" / "slurm.muster").read_text(), folder))
    done = shop.ask("compile", folder / spec.name, "--site", site, "--root", folder, "-o", folder)
    if done.returncode:
        return None, lib.says(done)
    for name, body in (("srun", SRUN), ("scontrol", SCONTROL), ("getent", "#!/bin/sh\necho 10.0.0.1 STREAM\n")):
        path = machine.bin / name
        path.write_text(body)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    script = next(folder.glob("*.sbatch"))
    env = {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": str(nodes), "SLURM_NNODES": str(nodes), "SLURM_JOB_NODELIST": f"n[1-{nodes}]", "SLURM_SUBMIT_DIR": str(folder),
           "SLURM_NODEID": "0", "SLURMD_NODENAME": "n1", "SLURM_JOB_NAME": spec.stem, "SLURM_CPUS_ON_NODE": "16", "SLURM_JOB_CPUS_PER_NODE": f"16(x{nodes})", "TMPDIR": str(folder), **dict(variables)}
    machine.clear()
    ended = machine.start(["bash", str(script)], env, folder)
    found = machine.records()
    return [record for record in found if record["name"] in ("probe", "torchrun")], lib.says(ended)


def on_pods(machine, manifest):
    """What each pod's programs write down, by rank; KubeRay's by way of Ray's own start."""
    found = []
    for number, pod in enumerate(pods.pods_of(manifest)):
        pod = pods.with_folder(pod, None)
        ended, records = machine.run(manifest, pod, number)
        if pods.is_ray(manifest):
            started = [record["env"] for record in records if record["name"] == "ray"]
            if number == 0 and started:
                machine.clear()
                ended = machine.start_entrypoint(manifest, started[0])
                records = machine.records()
            found.append(([r for r in records if r["name"] in ("ray", "probe", "torchrun")][-1:], ended))
        else:
            found.append(([r for r in records if r["name"] in ("probe", "torchrun")], ended))
    return found


def consistent(report, label, envs):
    """Ranks count, every node names the same head, and the file of hosts begins with it."""
    ranks = sorted(int(env["MUSTER_NODE_RANK"]) for env in envs)
    report.equal(f"{label} ranks", ranks, list(range(len(envs))))
    heads = {env["MUSTER_HEAD_ADDR"] for env in envs}
    report.check(f"{label} one head", len(heads) == 1 or len(envs) == 1, heads)
    slots = envs[0]["MUSTER_PROCS_PER_NODE"]
    lines = hostfile(envs[0])
    report.equal(f"{label} hosts of the gang", len(lines), len(envs))
    if len(envs) > 1:
        report.equal(f"{label} first host", lines[:1], [f"{envs[0]['MUSTER_HEAD_ADDR']} slots={slots}"])


def compare(report, shop, machine, spec):
    nodes = int((re.findall(r"nodes *= *(\d+)", spec.read_text()) or ["1"])[0])
    slurm, said = on_slurm(shop, machine, spec, nodes, shop.place(f"contract/slurm-{spec.stem}"))
    if not report.check(f"{spec.stem} runs as a batch script on {nodes} nodes", slurm and len(slurm) >= 1, said):
        return
    by_rank = {record["env"]["MUSTER_NODE_RANK"]: portable(record["env"]) for record in slurm}
    site = SPECS / "sites" / "pods.muster"
    for target in manifests.targets(shop):
        label = f"{spec.stem} {target}"
        folder = shop.place(f"contract/{spec.stem}-{target}")
        done = shop.ask("compile", spec, "--site", site, "--root", spec.parent, "--target", target, "-o", folder)
        if done.returncode == 1:
            report.say(f"     {label} refuses: {' '.join(done.stderr.split())[:120]}")
            continue
        if not report.check(f"{label} compiles", done.returncode == 0, lib.says(done)):
            continue
        manifest = pods.read(next(folder.glob("*.yaml")))
        judge_target(report, label, on_pods(machine, manifest), by_rank, pods.is_ray(manifest))


def judge_target(report, label, found, by_rank, ray):
    envs = []
    for seen, ended in found:
        if not report.check(f"{label} starts its program", len(seen) == 1, f"{ended.returncode} {lib.says(ended)}"):
            return
        envs.append(seen[0]["env"])
    if ray:  # Ray numbers no nodes: the head's program is the one
        envs = envs[:1]
    else:
        consistent(report, label, envs)
    for env in envs:
        rank = env["MUSTER_NODE_RANK"]
        want = by_rank.get(rank, {})
        got = {key: value for key, value in portable(env).items() if not key.startswith("PET_") or key in want}  # some operators always set these
        wrong = {key: (got.get(key), want.get(key)) for key in {*got, *want} if got.get(key) != want.get(key)}
        report.check(f"{label} rank {rank} finds what Slurm gives", not wrong, f"(here, Slurm): {wrong}")


def judge(report, shop):
    try:
        import yaml  # noqa: F401
    except ImportError:
        return report.skip("python3-yaml", "contract", "python3-yaml is not installed")
    machine = pods.Machine(shop.place("contract/machine"))
    for spec in sorted(SPECS.glob("*.muster")):
        compare(report, shop, machine, spec)
    return None

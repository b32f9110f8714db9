"""Existing scripts: what muster imports and compiles again is the same job to slurmctld, or the difference is in the report."""
import json
import re

from . import cases, lib, sandbox

SCRIPTS = lib.HERE / "scripts"

# Of `scontrol show job`. What two jobs cannot share (ids, times, the command) is not among them.
FIELDS = ("NumNodes", "NumCPUs", "NumTasks", "TRES", "ReqTRES", "TresPerNode", "TimeLimit", "Partition", "QOS", "Account", "Dependency", "Features",
          "Requeue", "Licenses", "ArrayTaskId", "ArrayTaskThrottle", "ReqNodeList", "ExcNodeList", "Comment", "StdOut", "StdErr", "WorkDir",
          "OverSubscribe", "Nice", "Contiguous", "Reservation", "Switches")

# A directive whose report says something other than `mapped` may change these.
MAY_DIFFER = {"ntasks": ("NumTasks",), "ntasks-per-node": ("NumTasks",), "mem-per-cpu": ("MinMemoryCPU",), "job-name": ("JobName",)}


def job_fields(cluster, job, folder):
    cluster.settled(job, 6)
    seen = cluster.job(job)
    out = {name: seen.get(name, "").replace(str(folder), "FOLDER") for name in FIELDS}
    for name in ("StdOut", "StdErr"):
        out[name] = re.sub(rf"(?<!\d){job}(?!\d)", "ID", out[name])
    return out


def submitted(report, label, cluster, path, held):
    # Tasks of an array would start one by one while they are read; how many of 1-4 nodes, the moment would decide.
    words = ("--hold",) if held else ()
    job = cluster.submit(path, *words, cwd=path.parent)
    return job if report.check(label, isinstance(job, int), job) else None


def imported(report, label, shop, folder):
    """The emitted file and the report of the import; None where either failed."""
    done = shop.ask("import", folder / "script.sbatch", "-o", folder / "in", "--format", "json", "--force")
    if not report.check(f"{label} imports", done.returncode == 0, lib.says(done)):
        return None
    told = json.loads(done.stdout)["scripts"][0]
    again = shop.ask("compile", folder / "in" / told["written"], "--site", folder / "in" / "site.muster", "--target", "slurm", *lib.arguments(told)[1])
    path = folder / "again.sbatch"
    path.write_bytes(again.stdout.encode("utf-8", "surrogateescape"))
    if not report.check(f"{label} compiles again", again.returncode == 0, lib.says(again)):
        return None
    return path, told


def compared(report, label, before, after, told):
    excused = {field for line in told["directives"] if line["fate"] != "mapped" for field in MAY_DIFFER.get(line["option"], ())}
    for name in before:
        if name not in excused:
            report.equal(f"{label} {name}", after[name], before[name])


def judged(report, shop, cluster, script, rewrite=None):
    label = script.stem
    folder = shop.place(f"import/{label}{'-spoilt' if rewrite else ''}")
    original = folder / "script.sbatch"
    original.write_text(cases.spec_text(script))
    held = "\n# hold\n" in original.read_text()
    first = submitted(report, f"{label} sbatch takes the original", cluster, original, held)
    both = first and imported(report, label, shop, folder)
    if both:
        path, told = both
        report.check(f"{label} nothing is lost", told["counts"]["lost"] == 0, told["counts"])
        if rewrite:
            path.write_text(rewrite(path.read_text()))
        second = submitted(report, f"{label} sbatch takes what came back", cluster, path, held)
        if second:
            compared(report, label, job_fields(cluster, first, folder), job_fields(cluster, second, folder), told)
            cluster.cancel(second)
    if first:
        cluster.cancel(first)


def spoilt(inner, shop, cluster, path):
    """An emitted file with an edit, which the comparison must notice."""
    script = SCRIPTS / f"{cases.header(path.read_text(), 'script')[0]}.sbatch"
    judged(inner, shop, cluster, script, lib.mutation(path))


def judge(report, shop):
    if not lib.sandbox_folder():
        return report.skip("sandbox", "slurm-import", "no slurm-sandbox folder beside the checkout; MUSTER_SHARED names the folder that has it")
    cluster = sandbox.host_cluster(report, shop)
    if not cluster:
        return None
    for script in sorted(SCRIPTS.glob("*.sbatch")):
        judged(report, shop, cluster, script)
    for path in lib.broken_files("slurm-import", ".sed"):
        lib.must_reject(report, path, lambda inner, path=path: spoilt(inner, shop, cluster, path))
    return None

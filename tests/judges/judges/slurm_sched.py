"""Every emitted file before a real controller: it takes the file, understands it, and does what `muster fit` said."""
import random
import re

from . import cases, lib, sandbox

ROOM = """# Somebody else's job.
workload filler {{
  kind = batch
  resources {{ nodes = {nodes}  gpus = {gpus}  gpu = h100 }}
  command = ["probe"]
}}
"""


def understood(report, label, bench, case, job, seen):
    """What sbatch read back is what the spec's header says, field by field."""
    for name, want in case.expected.items():
        want = cases.at_root(want, bench.root).replace("{id}", str(job)).replace("{cwd}", str(bench.folder))
        if name == "MinMemoryNode":
            want = sandbox.mebibytes(want)
        if ".." in want:  # how many nodes of a range a job gets is Slurm's choice
            least, most = map(int, want.split(".."))
            report.check(f"{label} {name} of {want}", least <= int(seen.get(name, 0)) <= most, seen.get(name))
            continue
        report.equal(f"{label} {name}", seen.get(name), want)


def placed_as_fit_said(report, label, cluster, fit, seen):
    """On an empty fleet: as many nodes as fit's witness has, on no fewer leaves than its bound."""
    witness = fit["workloads"][0]
    hosts = cluster.hosts(seen.get("NodeList"))
    if not report.check(f"{label} is placed", seen.get("JobState") == "CONFIGURING" and hosts, f"{seen.get('JobState')} {seen.get('Reason')}"):
        return
    given, fitted = len(hosts), len({p["node"] for p in witness["placements"]})
    chosen = witness.get("growth") is not None  # of a range Slurm gives what it has; fit places the least
    report.check(f"{label} nodes of fit and of Slurm", given >= fitted if chosen else given == fitted, f"got {fitted}, want {given}")
    leaves = len({cluster.leaf_of(host) for host in hosts})
    bounds = (witness["leaf_lower_bound"], witness["leaf_switches"])
    report.check(f"{label} leaves: fit {bounds[1]}, Slurm {leaves}", bounds[0] <= bounds[1] <= leaves, f"fit {bounds}, Slurm {leaves}")


def accepted(report, label, cluster, path, cwd):
    """The parser and the controller take the file; the id of a real submission, or None."""
    tried = cluster.test_only(path)
    report.check(f"{label} sbatch --test-only", tried.returncode == 0, lib.says(tried))
    job = cluster.submit(path, cwd=cwd)
    if not report.check(f"{label} sbatch", isinstance(job, int), job):
        return None
    return job


NOT_PINNED = re.compile("cannot be pinned: .*(one replica|one point|no placement)")


def pinned(report, cluster, bench, case, fit, site_edit=None, edit=None):
    """With --pin the job runs on the nodes of fit's witness, these and no others."""
    label = f"{case.label} pinned"
    told = bench.ask("compile", case, "--pin", site_edit=site_edit)
    if NOT_PINNED.search(told.stderr):
        return report.equal(f"{label} is refused", told.returncode, 1)
    path = bench.compile(report, case, "--pin", site_edit=site_edit)
    if path and edit:
        path.write_text(edit(path.read_text()))
    job = path and accepted(report, label, cluster, path, bench.folder)
    if not job:
        return None
    seen = cluster.settled(job)
    found = sorted({p["node"] for p in fit["workloads"][0]["placements"]})
    report.equal(f"{label} hosts", sorted(cluster.hosts(seen.get("NodeList"))), found)
    return cluster.cancel(job)


def judged(report, cluster, bench, case):
    """One case on the empty fleet."""
    path = bench.compile(report, case)
    if not path:
        return
    fit = bench.fit(case)
    if not report.equal(f"{case.label} fit says", fit["verdict"], "fits"):
        return
    cluster.rests()
    job = accepted(report, case.label, cluster, path, bench.folder)
    if job is None:
        return
    seen = cluster.settled(job)
    placed_as_fit_said(report, case.label, cluster, fit, seen)
    understood(report, case.label, bench, case, job, seen)
    cluster.cancel(job)
    pinned(report, cluster, bench, case, fit)


def taken(report, cluster, bench, case):
    """A public workload: Slurm takes what is emitted, and would start it."""
    path = bench.compile(report, case)
    job = path and accepted(report, case.label, cluster, path, bench.folder)
    if isinstance(job, int):
        seen = cluster.settled(job)
        report.check(f"{case.label} is placed", seen.get("JobState") == "CONFIGURING", f"{seen.get('JobState')} {seen.get('Reason')}")
        cluster.cancel(job)


def refused(report, cluster, bench):
    """More than there is: muster says so in numbers, writes nothing, and Slurm refuses the same job."""
    for case in cases.own_cases(cases.SPECS / "refused"):
        fit = bench.fit(case)
        report.equal(f"{case.name} fit says", fit["verdict"], "does-not-fit")
        told = str((fit.get("workloads") or [{}])[0].get("certificate"))
        wanted = cases.header(case.spec.read_text(), "says")[0]
        report.check(f"{case.name} in numbers", re.search(wanted, told) and re.search(r"\d", told), told)
        done = bench.ask("compile", case)
        report.check(f"{case.name} writes nothing", done.returncode == 1 and not done.stdout, f"exit {done.returncode}")
        case.site = "blind"
        path = bench.compile(report, case)
        if path:
            tried = cluster.test_only(path)
            report.check(f"{case.name} is refused by Slurm", tried.returncode == 1, lib.says(tried))


# ---- with nodes in use -----------------------------------------------------------------------

def occupy(cluster, shop, use):
    """Jobs that hold `use[host]` GPUs of each host with their share of the cores and the memory."""
    jobs = []
    for gpus in sorted(set(use.values())):
        hosts = [host for host, taken in use.items() if taken == gpus]
        path = shop.folder / "filler.sbatch"
        path.write_text("#!/bin/bash\n" + "".join(f"#SBATCH {option}\n" for option in (
            f"--nodes={len(hosts)}", f"--nodelist={','.join(hosts)}", "--ntasks-per-node=1", f"--cpus-per-task={14 * gpus}",
            f"--gpus-per-node=h100:{gpus}", f"--mem={236370 * gpus}")) + "sleep 600\n")
        jobs.append(cluster.submit(path))
        cluster.settled(jobs[-1])
    return jobs


def in_use(use):
    """The same for the site's fleet."""
    blocks = ""
    for gpus in sorted(set(use.values())):
        hosts = ",".join(host for host, taken in use.items() if taken == gpus)
        amount = "" if gpus == 8 else f"  gpus = {gpus}"
        blocks += f'    in-use taken-{gpus} {{ nodes = "{hosts}"{amount} }}\n'
    return lambda site: site.replace("    leaf-size", blocks + "    leaf-size")


def now(report, cluster, bench, label, use, shapes, told=None):
    """Whether fit's answer at level `now` is what the controller does, told the truth or not."""
    jobs = occupy(cluster, bench.shop, use)
    if not report.check(f"{label} is set up", all(isinstance(job, int) for job in jobs), jobs):
        return
    for nodes, gpus in shapes:
        spec = bench.folder / "room.muster"
        spec.write_text(ROOM.format(nodes=nodes, gpus=gpus))
        case = cases.Case("room", spec, "plain", {})
        asked(report, cluster, bench, f"{label} {nodes} x {gpus}", case, in_use(told or use))
    cluster.cancel(*jobs)


def asked(report, cluster, bench, label, case, site_edit):
    fit = bench.fit(case, site_edit=site_edit)
    path = bench.compile(report, case, site_edit=site_edit)
    job = path and accepted(report, label, cluster, path, bench.folder)
    if not job:
        return
    seen = cluster.settled(job)
    state = {"CONFIGURING": "fits", "PENDING": "does-not-fit"}.get(seen.get("JobState"), seen.get("JobState"))
    verdict = fit["levels"]["now"]
    report.check(f"{label}: {verdict}", verdict == state, f"fit says {verdict}, Slurm {seen.get('JobState')} {seen.get('Reason')}")
    if verdict == state == "fits":
        placed_as_fit_said(report, label, cluster, fit, seen)
    cluster.cancel(job)
    if verdict == state == "fits":
        pinned(report, cluster, bench, case, fit, site_edit=site_edit)


def crowds(hosts, seed=20261121):
    """Fleets in use: whole nodes, every node half, one free node a leaf, and some at random."""
    draw = random.Random(seed)
    yield "60 nodes busy", dict.fromkeys(hosts[:60], 8), [(4, 8), (5, 8), (4, 1)]
    yield "every node half busy", dict.fromkeys(hosts, 4), [(64, 4), (1, 5), (64, 1), (1, 8)]
    yield "one free node a leaf", {h: 8 for i, h in enumerate(hosts) if i % 8}, [(8, 8), (9, 8), (2, 8)]
    for round_ in range(1, 5):
        use = {host: draw.choice((0, 2, 4, 6, 8)) for host in hosts}
        use = {host: gpus for host, gpus in use.items() if gpus}
        free = {g: sum(8 - use.get(h, 0) >= g for h in hosts) for g in (1, 3, 4, 6, 8)}
        # At the edge of what is free, where a mistake of one shows.
        shapes = [(free[g] + more, g) for g in draw.sample(sorted(free), 2) for more in (0, 1) if 0 < free[g] + more <= 64]
        yield f"crowd {round_}", use, shapes


def notices_a_wrong_site(report, cluster, bench):
    """A site that hides what is in use makes fit say what the controller does not do."""
    inner = lib.Report(quiet=True)
    use = dict.fromkeys(cluster.hosts(cluster.fleet.hosts())[:60], 8)
    now(inner, cluster, bench, "hidden", use, [(5, 8)], told={"n64": 8})
    objections = " ".join(inner.failures)
    report.check("notices a site that hides what is in use", "fit says fits, Slurm PENDING" in objections, objections)


def notices_other_nodes(report, cluster, bench):
    """A job kept to other nodes than fit's is not the one that was pinned."""
    inner = lib.Report(quiet=True)
    case = next(case for case in cases.all_cases() if case.name == "finetune")
    pinned(inner, cluster, bench, case, bench.fit(case), edit=lambda text: re.sub(r"--nodelist=.*", "--nodelist=n64", text))
    report.check("notices a job that is pinned elsewhere", any("pinned hosts" in f for f in inner.failures), inner.failures)


# ---- the judge -------------------------------------------------------------------------------

def reject_broken(report, cluster, bench):
    for path in lib.broken_files("slurm-sched", ".sbatch"):
        lib.must_reject(report, path, lambda inner, path=path: objected(inner, cluster, bench, path))


def objected(inner, cluster, bench, path):
    """A hand-made file is judged like one of muster's, as if it came from the example named in `# as:`."""
    name = (cases.header(path.read_text(), "as") or ["pretrain"])[0]
    case = next(case for case in cases.all_cases() if case.name == name)
    job = accepted(inner, path.name, cluster, path, bench.folder)
    if job is None:
        return
    seen = cluster.settled(job, 5)
    placed_as_fit_said(inner, path.name, cluster, bench.fit(case), seen)
    understood(inner, path.name, bench, case, job, seen)
    cluster.cancel(job)


def wanted(case):
    """Segments need a newer Slurm: they are for slurm-versions."""
    return case.site != "block"


def judge(report, shop):
    if not lib.sandbox_folder():
        return report.skip("sandbox", "slurm-sched", "no slurm-sandbox folder beside the checkout; MUSTER_SHARED names the folder that has it")
    cluster = sandbox.host_cluster(report, shop)
    if not cluster:
        return None
    bench = cases.Bench(shop, "sched-files")
    for case in filter(wanted, cases.all_cases()):
        judged(report, cluster, bench, case)
    for case in cases.public_cases():
        taken(report, cluster, bench, case)
    refused(report, cluster, bench)
    for label, use, shapes in crowds(cluster.hosts(cluster.fleet.hosts())):
        now(report, cluster, bench, label, use, shapes)
    notices_a_wrong_site(report, cluster, bench)
    notices_other_nodes(report, cluster, bench)
    return reject_broken(report, cluster, bench)

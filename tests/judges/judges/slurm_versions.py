"""The same files before newer Slurms, and the rows of the version table."""
import concurrent.futures
import re

from . import cases, lib, sandbox, slurm_sched

SUITES = ("trixie", "sid")


def short(version):
    return ".".join(version.split(".")[:2])


def batches(jobs, room):
    """Cases in groups that fit the fleet at once."""
    batch, used = [], 0
    for case, nodes in jobs:
        if batch and used + nodes > room:
            yield batch
            batch, used = [], 0
        batch.append(case)
        used += nodes
    if batch:
        yield batch


def nodes_of(case):
    """How much of the fleet a case needs; one that wants a leaf for itself gets all of it."""
    return 64 if "topology " in case.spec.read_text() else int(case.expected.get("NumNodes", "1").split("..")[-1])


def emitted_files(report, cluster, bench):
    """Everything that muster emits for this version is taken, placed and understood."""
    todo = [(case, nodes_of(case)) for case in filter(slurm_sched.wanted, cases.all_cases())]
    for batch in batches(todo, cluster.fleet.nodes):
        jobs = [(case, submitted(report, cluster, bench, case)) for case in batch]
        for case, job in jobs:
            if job is not None:
                seen = cluster.settled(job)
                report.check(f"{case.label} is placed", seen.get("JobState") == "CONFIGURING", f"{seen.get('JobState')} {seen.get('Reason')}")
                slurm_sched.understood(report, case.label, bench, case, job, seen)
        cluster.cancel(*(job for _, job in jobs if job is not None))


def submitted(report, cluster, bench, case):
    path = bench.compile(report, case)
    return path and slurm_sched.accepted(report, case.label, cluster, path, bench.folder)


# ---- segments --------------------------------------------------------------------------------

def segment_case():
    return next(case for case in cases.own_cases() if case.name == "segment")


def segments(report, cluster, bench):
    """With blocks and this version, four nodes at a time stay inside one block."""
    case = segment_case()
    path = bench.compile(report, case)
    if not path:
        return
    report.check("segment: muster writes --segment=4", "\n#SBATCH --segment=4\n" in path.read_text())
    job = slurm_sched.accepted(report, "segment", cluster, path, bench.folder)
    if job is None:
        return
    hosts = cluster.hosts(cluster.settled(job).get("NodeList"))
    blocks = [cluster.leaf_of(host) for host in hosts]
    report.check("segment: each block holds whole segments", hosts and all(blocks.count(b) % 4 == 0 for b in blocks), hosts)
    cluster.cancel(job)


def no_segments(report, cluster, shop):
    """The oldest version has no such option: muster says so, and it is so."""
    bench = cases.Bench(shop, "versions-oldest", version=short(cluster.version()))
    done = bench.ask("compile", segment_case())
    text = lib.says(done)
    report.check(f"segment: refused for {bench.version}", done.returncode == 1 and not done.stdout, f"exit {done.returncode}")
    report.check("segment: the refusal names the option and the version", "--segment" in text and bench.version in text, text)
    rejected(report, cluster, "host")


# ---- the judge -------------------------------------------------------------------------------

def rejected(report, cluster, suite):
    """Files that this version has to refuse; `# in:` names the suite."""
    for path in lib.broken_files("slurm-versions", ".sbatch"):
        if suite in cases.header(path.read_text(), "in")[0].split():
            copy = cluster.shop.place(f"broken-{suite}") / "file"  # seen from inside, and its name says nothing
            copy.write_text(path.read_text())
            lib.must_reject(report, path, lambda inner, copy=copy: taken(inner, cluster, copy))


def taken(inner, cluster, path):
    job = slurm_sched.accepted(inner, "it", cluster, path, path.parent)
    if job is not None:
        cluster.cancel(job)


def available(report, shop, suite):
    done = lib.run([lib.sandbox_folder() / "in-version.sh", suite, "true"], timeout=300, cwd=shop.folder)
    return done.returncode == 0 or report.skip(suite, f"Slurm of {suite}", lib.says(done)[-300:] or "in-version.sh failed")


def suite_judged(shop, suite):
    report = lib.Lines()
    lib.guarded(report, suite, one_suite, shop, suite)
    report.lines = [re.sub(r"^(ok  |FAIL|skip) ", rf"\1 {suite}: ", line) for line in report.lines]
    return report


def one_suite(report, shop, suite):
    if not available(report, shop, suite):
        return
    cluster = sandbox.Cluster(shop, suite, cases.Fleet(), suite)
    error = cluster.up()
    if not report.check("its Slurm is up", not error, error):
        return
    version = short(cluster.version())
    report.say(f"# {suite} is Slurm {version}")
    bench = cases.Bench(shop, f"versions-{suite}", version=version)
    emitted_files(report, cluster, bench)
    rejected(report, cluster, suite)
    cluster.down()
    cluster.options = ("--topology", "block")
    error = cluster.up()
    if report.check("its Slurm is up with blocks", not error, error):
        segments(report, cluster, bench)
    cluster.down()


def judge(report, shop):
    if not lib.sandbox_folder():
        return report.skip("sandbox", "slurm-versions", "no slurm-sandbox folder beside the checkout; MUSTER_SHARED names the folder that has it")
    oldest = sandbox.host_cluster(report, shop)
    if oldest:
        no_segments(report, oldest, shop)
    with concurrent.futures.ThreadPoolExecutor(len(SUITES)) as pool:
        for done in pool.map(lambda suite: suite_judged(shop, suite), SUITES):
            report.take(done)
    return None

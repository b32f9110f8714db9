"""Random queues of whole-node gangs on a fleet in use: what `muster fit` answers, a real controller does.

MUSTER_QUEUES is how many (40), MUSTER_QUEUES_SEED where they start."""
import os
import random

from . import cases, lib, sandbox, slurm_sched

GANG = slurm_sched.ROOM.replace("workload filler", "workload gang-{number}")
STATES = {"CONFIGURING": "fits", "RUNNING": "fits", "PENDING": "does-not-fit"}


def spec_of(bench, name, gangs):
    """The gangs by number, as one file."""
    spec = bench.folder / f"{name}.muster"
    spec.write_text("".join(GANG.format(number=number, nodes=nodes, gpus=8) for number, nodes in gangs))
    return cases.Case(name, spec, "plain", {})


def one_gang(report, cluster, bench, label, number, nodes, use):
    """Fit, told what is in use at this moment, and the controller: verdict and leaves. The job, and its hosts."""
    case, edit = spec_of(bench, "gang", [(number, nodes)]), slurm_sched.in_use(use)
    fit = bench.fit(case, site_edit=edit)
    path = bench.compile(report, case, site_edit=edit)
    job = cluster.submit(path, cwd=bench.folder) if path else None
    if not report.check(f"{label} is taken", isinstance(job, int), job):
        return None, [], None
    seen = cluster.settled(job)
    state = STATES.get(seen.get("JobState"), seen.get("JobState"))
    verdict = fit["levels"]["now"]
    report.check(f"{label}: {verdict}", verdict == state, f"fit says {verdict}, Slurm {seen.get('JobState')} {seen.get('Reason')}")
    hosts = cluster.hosts(seen.get("NodeList")) if state == "fits" else []
    if hosts and verdict == "fits":
        ours, theirs = fit["workloads"][0]["leaf_switches"], len({cluster.leaf_of(host) for host in hosts})
        report.check(f"{label} leaves: fit {ours}, Slurm {theirs}", ours <= theirs, "fit takes more")
    return job, hosts, state


def queue(report, cluster, bench, number, seed):
    draw = random.Random(seed * 1_000_003 + number)
    hosts = cluster.hosts(cluster.fleet.hosts())
    use = dict.fromkeys(draw.sample(hosts, draw.randrange(0, 48)), 8)
    gangs = list(enumerate((draw.choice((1, 2, 3, 4, 6, 8, 12, 16, 24, 32)) for _ in range(draw.randint(2, 5))), 1))
    jobs = slurm_sched.occupy(cluster, bench.shop, use) if use else []
    together = bench.fit(spec_of(bench, "queue", gangs), site_edit=slurm_sched.in_use(use))
    said = [answer["levels"]["now"]["verdict"] for answer in together["workloads"]]
    did = []
    for place, nodes in gangs:
        job, taken, state = one_gang(report, cluster, bench, f"queue {number} gang {place} of {nodes}", place, nodes, use)
        did.append(state)
        if state == "fits":
            jobs.append(job)
            use = {**use, **dict.fromkeys(taken, 8)}
        elif job:
            cluster.cancel(job)
    report.equal(f"queue {number} as one file", said, did)
    cluster.cancel(*jobs)


def notices_a_wrong_site(report, cluster, bench):
    """A site that hides what is in use makes fit promise what the controller does not do."""
    inner = lib.Report(quiet=True)
    use = dict.fromkeys(cluster.hosts(cluster.fleet.hosts())[:60], 8)
    jobs = slurm_sched.occupy(cluster, bench.shop, use)
    job, _, _ = one_gang(inner, cluster, bench, "hidden", 1, 8, {})
    cluster.cancel(*jobs, *([job] if job else []))
    objections = " ".join(inner.failures)
    report.check("notices a site that hides what is in use", "fit says fits, Slurm PENDING" in objections, objections)


def judge(report, shop):
    if not lib.sandbox_folder():
        return report.skip("sandbox", "slurm-queues", "no slurm-sandbox folder beside the checkout; MUSTER_SHARED names the folder that has it")
    cluster = sandbox.host_cluster(report, shop)
    if not cluster:
        return None
    bench = cases.Bench(shop, "queue-files")
    notices_a_wrong_site(report, cluster, bench)
    seed = int(os.environ.get("MUSTER_QUEUES_SEED", "20261121"))
    for number in range(1, int(os.environ.get("MUSTER_QUEUES", "40")) + 1):
        queue(report, cluster, bench, number, seed)
    report.say(f"queues from seed {seed}")
    return None

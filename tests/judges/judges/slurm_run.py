"""Emitted files that really run, on emulated nodes: who was started where, with what, and how it ended."""
import concurrent.futures

from . import cases, endings, handwritten_scripts, lab, launches, lib, orders, parts

WORKERS = 24
SCENARIOS = (*endings.SCENARIOS, *parts.SCENARIOS, *launches.SCENARIOS, *orders.SCENARIOS)  # the slow ones first


def pyxis_options(shop):
    """The sandbox's stub of Pyxis, built; or the reason why not."""
    build = lib.sandbox_folder() / "pyxis-stub" / "build.sh"
    done = lib.run(["bash", build, shop.place("pyxis")], timeout=300)
    return (("--plugstack", done.stdout.strip()), None) if done.returncode == 0 else ((), lib.says(done) or "the stub does not build")


def bring_up(report, shop):
    """The lab, or None; its nodes have names in /etc/hosts where that can be written."""
    options, why_not = pyxis_options(shop)
    try:
        with open("/etc/hosts", "a"):
            hosts = ("--hosts",)
    except OSError:
        hosts = ()
    rooms = lab.Lab(shop, (*options, *hosts))
    rooms.pyxis, rooms.hosts = why_not, bool(hosts)
    error = rooms.cluster.up()
    report.check("the nodes are up", not error, error)
    return None if error else rooms


def played(rooms, scenario):
    report = lib.Lines()
    lib.guarded(report, scenario.__name__, scenario, rooms)
    return report


def side_by_side(tasks):
    """Reports of all tasks, in the order written."""
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        return [future.result() for future in [pool.submit(*task) for task in tasks]]


# ---- broken files ----------------------------------------------------------------------------

def rejected(rooms, path):
    """An edit of an emitted file, judged by the scenario that it names."""
    report = lib.Lines()
    name = cases.header(path.read_text(), "scenario")[0]
    scenario = next(scenario for scenario in SCENARIOS if scenario.__name__ == name)
    spoilt = Spoilt(rooms, lib.mutation(path))
    lib.must_reject(report, path, lambda inner: lib.guarded(inner, "scenario", scenario, spoilt))
    spoilt.clear()
    return report


class Spoilt:
    """A lab in which every emitted file is spoilt before it is submitted."""

    def __init__(self, rooms, rewrite):
        self.rooms, self.rewrite, self.jobs = rooms, rewrite, []

    def __getattr__(self, name):
        return getattr(self.rooms, name)

    def submit(self, report, name, **options):
        job = self.rooms.submit(report, name, rewrite=self.rewrite, **options)
        self.jobs += [job.number] if job else []
        return job

    def clear(self):
        self.rooms.cluster.cancel(*self.jobs)


def judge(report, shop):
    if not lib.sandbox_folder():
        return report.skip("sandbox", "slurm-run", "no slurm-sandbox folder beside the checkout; MUSTER_SHARED names the folder that has it")
    rooms = bring_up(report, shop)
    if not rooms:
        return None
    good = [(played, rooms, scenario) for scenario in SCENARIOS]
    bad = [(rejected, rooms, path) for path in lib.broken_files("slurm-run", ".sed")]
    for done in side_by_side([*good, *bad]):
        report.take(done)
    for scenario in (*endings.ALONE, handwritten_scripts.handwritten_scripts):
        report.take(played(rooms, scenario))
    return rooms.cluster.down()

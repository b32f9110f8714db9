"""Scenarios of slurm-run: workloads that wait for each other, submitted by the script that muster writes for them."""
from . import cases, lib

POINTS = """
workload prepare {
  kind   = batch
  cpus   = 1
  memory = 100MiB
  time-limit = 10m
  sweep { axes { seed = 0..2 } }
  env { SEED = $seed }
  script = <<<bash
    case $SEED in
      1) until [ -e trained-0 ]; do sleep 0.2; done ;;
      2) exit 3 ;;
    esac
  >>>
}
workload learn {
  kind   = batch
  cpus   = 1
  memory = 100MiB
  time-limit = 10m
  sweep { axes { seed = 0..2 } }
  env { SEED = $seed }
  script = <<<bash
    touch "trained-$SEED"
  >>>
  depends-on prepare { each = true }
}
"""


def each_point(report, lab):
    """A point that waits for its own point only: the first one learns while the second one still prepares, and is what
    that waits for; the third was never prepared."""
    folder = lab.bench.folder / "each"
    folder.mkdir()
    (folder / "each.muster").write_text(POINTS)
    (folder / "site.muster").write_text(cases.site_text("example", lab.root, lab.fleet))
    done = lab.shop.ask("compile", folder / "each.muster", "--site", folder / "site.muster", "--root", folder, "--target", "slurm", "-o", folder)
    if not report.check("each: muster writes two arrays and their submit script", done.returncode == 0 and (folder / "submit.slurm.sh").exists(), lib.says(done)):
        return
    sent = lab.cluster.run("sh", folder / "submit.slurm.sh", cwd=folder, **lab.variables)
    numbers = dict(line.split() for line in sent.stdout.splitlines())
    if not report.check("each: Slurm takes both", sent.returncode == 0 and set(numbers) == {"prepare", "learn"}, lib.says(sent)):
        return
    trained = lib.until(lambda: (folder / "trained-1").exists(), 60, 0.3)
    report.check("each: a point learns when its own point is prepared", trained, sorted(path.name for path in folder.glob("trained-*")))
    left = lib.until(lambda: held_for_ever(lab, numbers["learn"]), 30, 0.3)
    report.check("each: the point that was not prepared never learns", left and not (folder / "trained-2").exists(), waiting(lab, numbers["learn"]))
    lab.cluster.cancel(*numbers.values())


def held_for_ever(lab, number):
    """By the site's choice Slurm cancels such a task, or keeps it."""
    tasks = waiting(lab, number)
    return not tasks or all(line.endswith("DependencyNeverSatisfied") for line in tasks)


def waiting(lab, number):
    """Tasks of the array that have not ended, and why."""
    return lab.cluster.run("squeue", "-h", "-r", "-j", number, "-o", "%K %T %r").stdout.splitlines()


SCENARIOS = (each_point,)

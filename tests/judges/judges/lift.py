"""Scripts as people write them, and what import and compile make of them, run side by side with stubs (tests/lift): the same processes,
or a report that names the difference; so do workloads that were lifted by hand, as jobs and as pods. Edits of the results must be noticed."""
import argparse
import json
import pathlib
import re
import subprocess
import sys

from . import cases, lib

LIFT = lib.CHECKOUT / "tests" / "lift"
WORKERS = 3
VARIANTS = 3  # of each class
READS = re.compile(r"\$\{?[@*#1-9]")  # arguments
# These run once more with programs that fail: what follows a program, or stands before it under `set -e`, decides how the job ends.
FAILING = ("array", "background", "document", "guard", "hidden-exit", "processes", "singularity", "staging", "strict", "torchrun")


def judge(report, shop):
    sys.path[:0] = [str(LIFT), str(lib.CHECKOUT / "tests" / "corpus")]
    from judging import campaign
    if why := campaign.missing():
        return report.skip("sandbox", "lift", why)
    folder = shop.place("lift")
    for path in (LIFT / "fixtures").glob("*.sbatch"):
        (folder / path.name).write_bytes(path.read_bytes())
    edits, failing = {}, set(FAILING)
    for path in lib.broken_files("lift", ".sed"):
        script = cases.header(path.read_text(), "script")[0]
        (folder / f"broken-{path.stem}.sbatch").write_bytes((LIFT / "fixtures" / f"{script}.sbatch").read_bytes())
        edits[f"broken-{path.stem}"] = lib.mutation(path)
        if "exit" in path.stem:
            failing.add(f"broken-{path.stem}")
    lifted = shop.place("lifted")
    for path in (LIFT / "lifted").glob("*.muster"):
        by_hand = path.stem != "site"
        (lifted / (f"lifted-{path.name}" if by_hand else path.name)).write_bytes(path.read_bytes())
        if by_hand:
            (folder / f"lifted-{path.stem}.sbatch").write_bytes((LIFT / "fixtures" / f"{path.stem}.sbatch").read_bytes())
    choice = argparse.Namespace(folder=folder, lifted=lifted, pods=True, again=True, blobs=[], count=None, seed=1, out=None, failing=failing, keep=None, workers=WORKERS, import_option=[], edits=edits,
                                binary=shop.muster)
    results = {result["blob"]: result for result in campaign.run(choice)}
    for name, result in sorted(results.items()):
        if name not in edits:
            known = cases.header((LIFT / "fixtures" / f"{name.removeprefix('lifted-')}.sbatch").read_text(), "today")
            behaves(report, name, result, [each for each in known if not each.startswith("on pods ")])
            if "pods_differences" in result:
                on_pods(report, name, result, [each.removeprefix("on pods ") for each in known if each.startswith("on pods ")])
    with_arguments(report, shop)
    of_classes(report, shop)
    of_manifests(report, shop)
    directly(report, shop, folder)
    report.check("some run on pods", sum("pods_differences" in result for result in results.values()) > 15)
    for path in lib.broken_files("lift", ".sed"):
        lib.must_reject(report, path, lambda inner, path=path: behaves(inner, path.stem, results[f"broken-{path.stem}"]))
    return None


def with_arguments(report, shop):
    """Those that read arguments, with none, one and three of them."""
    from judging import campaign
    folder = shop.place("given")
    for path in (LIFT / "fixtures").glob("*.sbatch"):
        if READS.search(path.read_text()):
            (folder / path.name).write_bytes(path.read_bytes())
    choice = argparse.Namespace(folder=folder, blobs=[], count=None, seed=1, out=None, failing=False, keep=None, workers=WORKERS, import_option=[], binary=shop.muster, again=True, arguments="all")
    for result in sorted(campaign.run(choice), key=lambda result: result["blob"]):
        known = cases.header((LIFT / "fixtures" / f"{result['blob'].partition('~')[0]}.sbatch").read_text(), "today")
        if not known and result["verdict"] != "no record":  # a usage message is no program
            behaves(report, f"{result['blob'].replace('~', ' with ')} arguments", result)


def of_classes(report, shop):
    """A few variants of each class of faults; a class of classes-today.txt still has some."""
    from judging import classes
    known = {line.strip() for line in (LIFT / "classes-today.txt").read_text().splitlines() if line.strip() and not line.startswith("#")}
    rows = classes.judged(classes.drawn([], VARIANTS, 1), shop.place("classes"), WORKERS, VARIANTS, shop.muster)
    for title in classes.CLASSES:
        group = [row for row in rows if row["title"] == title]
        faults = [f"{row['name']}: {row['fault']}" for row in group if row["fault"]]
        if title in known:
            report.check(f"the class `{title}` still has faults", faults, "remove its line in tests/lift/classes-today.txt")
        else:
            report.check(f"the class `{title}`: {len(group) - len(faults)} of {len(group)} variants", group and not faults, "; ".join(faults))


def of_manifests(report, shop):
    """The manifests that people write, as pods: beside what comes back as the same kind, and beside Slurm."""
    from judging import manifests_campaign
    paths = sorted((LIFT / "manifests_fixtures").glob("*.yaml"))
    choice = argparse.Namespace(paths=paths, workers=WORKERS, import_option=[], binary=shop.muster)
    for result in sorted(manifests_campaign.run(choice), key=lambda result: result["blob"]):
        known = cases.header(pathlib.Path(result["file"]).read_text(), "today")
        for key, place in (("same", "as the same kind"), ("slurm", "on Slurm")):
            seen, name = silent(result.get(key, [])) or result.get("why", ""), f"{pathlib.Path(result['file']).stem} {place}"
            here = [each.removeprefix(f"{key} ") for each in known if each.startswith(f"{key} ")]
            if here:
                report.check(f"{name} still differs: {here[0]}", here[0] in seen, f"remove the line `# today: {key}`: {seen}")
            else:
                report.check(f"{name} behaves as before, or is refused", manifests_campaign.of(result, key) in ("equal", "named", "refused"), f"{manifests_campaign.of(result, key)}: {seen}")


def directly(report, shop, folder):
    """`compile` of a script is `compile` of what its import wrote: with the draft as the site, the same file but for its title."""
    for path in sorted(folder.glob("*.sbatch")):
        if path.stem.startswith(("broken-", "lifted-")):
            continue
        specs = shop.place(f"direct/{path.stem}")
        done = subprocess.run([shop.muster, "import", "-q", path, "-o", specs, "--format", "json"], capture_output=True)
        if done.returncode:
            continue
        _, values = lib.arguments(json.loads(done.stdout)["scripts"][0])
        site = specs / "site.muster"
        spec, = (each for each in specs.glob("*.muster") if each != site)
        got, want = ([line for line in compiled(shop, file, site, values) if "compiled by muster from" not in line] for file in (path, spec))
        report.check(f"{path.stem} is compiled directly as by way of its import", got == want, lib.shown([pair for pair in zip(got, want) if pair[0] != pair[1]][:1]))


def compiled(shop, path, site, values):
    done = subprocess.run([shop.muster, "compile", "-q", path, "--site", site, "--target", "slurm", "--bundle", *values], capture_output=True, text=True)
    return [f"exit {done.returncode}", *done.stdout.splitlines()]


def behaves(report, name, result, known=()):
    seen = f"{result['verdict']} {result.get('why', '')} {silent(result.get('differences', []))}"
    if known:  # a fault of the import that is not mended yet: `# today: WHAT NAME` in the script
        return report.check(f"{name} still differs: {known[0]}", known[0] in seen, f"remove the line `# today:`: {seen}")
    return report.check(f"{name} behaves as before", result["verdict"] in ("equal", "named"), seen)


def on_pods(report, name, result, known):
    seen = silent(result["pods_differences"])
    if known:
        return report.check(f"{name} still differs on pods: {known[0]}", known[0] in seen, f"remove the line `# today: on pods`: {seen}")
    return report.check(f"{name} behaves as before on pods", not seen, seen)


def silent(differences):
    return "; ".join(f"{each['what']} {each['name']}: {each['before']} -> {each['after']}" for each in differences if not each["named"])

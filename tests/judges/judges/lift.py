"""Scripts as people write them, and what import and compile make of them, run side by side with stubs (tests/lift): the same processes,
or a report that names the difference. Edits of the results must be noticed."""
import argparse
import sys

from . import cases, lib

LIFT = lib.CHECKOUT / "tests" / "lift"
WORKERS = 3


def judge(report, shop):
    sys.path[:0] = [str(LIFT), str(lib.CHECKOUT / "tests" / "corpus")]
    from judging import campaign
    if why := campaign.missing():
        return report.skip("sandbox", "lift", why)
    folder = shop.place("lift")
    for path in (LIFT / "fixtures").glob("*.sbatch"):
        (folder / path.name).write_bytes(path.read_bytes())
    edits, failing = {}, {path.stem for path in folder.glob("*.sbatch")}
    for path in lib.broken_files("lift", ".sed"):
        script = cases.header(path.read_text(), "script")[0]
        (folder / f"broken-{path.stem}.sbatch").write_bytes((LIFT / "fixtures" / f"{script}.sbatch").read_bytes())
        edits[f"broken-{path.stem}"] = lib.mutation(path)
        if "exit" in path.stem:
            failing.add(f"broken-{path.stem}")
    choice = argparse.Namespace(folder=folder, blobs=[], count=None, seed=1, out=None, failing=failing, keep=None, workers=WORKERS, import_option=[], edits=edits,
                                binary=shop.muster)
    results = {result["blob"]: result for result in campaign.run(choice)}
    for name, result in sorted(results.items()):
        if name not in edits:
            behaves(report, name, result)
    for path in lib.broken_files("lift", ".sed"):
        lib.must_reject(report, path, lambda inner, path=path: behaves(inner, path.stem, results[f"broken-{path.stem}"]))
    return None


def behaves(report, name, result):
    silent = [f"{each['what']} {each['name']}: {each['before']} -> {each['after']}" for each in result.get("differences", []) if not each["named"]]
    report.check(f"{name} behaves as before", result["verdict"] in ("equal", "named"), f"{result['verdict']} {result.get('why', '')} {'; '.join(silent)}")

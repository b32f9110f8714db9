"""Every emitted manifest, taken as an API server takes it: the program in ../kube runs the server's own code."""
import collections
import pathlib
import re
import shutil

from . import lib, manifests

PROGRAM = lib.HERE / "kube"
GOOD = lib.HERE / "good" / "kube"


def program(report, shop):
    """The built program, or None and a skip. A first build compiles the server's packages: some minutes."""
    if not shutil.which("go"):
        return report.skip("go", "kube", "Go is not installed")
    needed = re.search(r"^go (\S+)$", (PROGRAM / "go.mod").read_text(), re.M)[1]
    have = lib.run(["go", "env", "GOVERSION"]).stdout.strip().removeprefix("go")
    numbers = [[int(part) for part in re.findall(r"\d+", text)[:3]] for text in (have, needed)]
    if numbers[0] < numbers[1]:
        return report.skip("go", "kube", f"Go {have} is older than {needed}, which go.mod asks for")
    path = shop.place("kube") / "kube"
    built = lib.run(["go", "build", "-trimpath", "-o", path, "."], timeout=3000, cwd=PROGRAM)
    return path if report.check("the kube program builds", built.returncode == 0, lib.says(built)) else None


def findings(kube, crds, files):
    """What the server says to each file, in one run of the program."""
    if not files:
        return {}
    done = lib.run([kube, "--crds", crds, *files], timeout=600)
    if done.returncode not in (0, 1):
        raise RuntimeError(lib.says(done))
    said = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        name, _, text = line.partition(":")
        said[pathlib.Path(name)].append(text)
    return {path: said.get(path, []) for path in files}


def broken(folder):
    """Each broken file as the good one that it spoils, spoilt."""
    for path in lib.broken_files("kube", ".sed"):
        of = re.search(r"^# of: (.+)$", path.read_text(), re.M)[1]
        spoilt = folder / f"{path.stem}.yaml"
        spoilt.write_text(lib.mutation(path)((GOOD / of).read_text()))
        yield path, spoilt


def judge(report, shop):
    crds = manifests.schemas_folder()
    if not crds:
        return report.skip("schemas", "kube", "there is no MUSTER_SHARED with schemas/crds")
    kube = program(report, shop)
    if not kube:
        return None
    crds = crds / "crds"
    for path, said in findings(kube, crds, sorted(GOOD.glob("*.yaml"))).items():
        report.check(f"takes good/kube/{path.name}", not said, "; ".join(said))
    spoilt = dict(broken(shop.place("kube/broken")))
    verdicts = findings(kube, crds, list(spoilt.values()))
    for path, file in spoilt.items():
        lib.must_reject(report, path, lambda inner, file=file: inner.check(file.stem, not verdicts[file], "; ".join(verdicts[file])))
    emitted = manifests.emitted(report, shop)
    verdicts = findings(kube, crds, [manifest.path for manifest in emitted])
    for manifest in emitted:
        said = verdicts[manifest.path]
        report.check(f"{manifest.label} is taken", not said, "; ".join(said))
    return None

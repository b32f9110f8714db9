"""Every emitted manifest through the strict validator of the shared schemas: schemas, and the operators' admission rules."""
import collections
import pathlib
import sys

from . import kube, lib, manifests


def findings(folder, files):
    if not files:
        return {}
    done = lib.run([sys.executable, folder / "validate.py", "--quiet", *files], timeout=600)
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        raise RuntimeError(lib.says(done))
    said = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        name, _, text = line.partition(":")
        said[pathlib.Path(name)].append(text)
    return {path: said.get(path, []) for path in files}


def judge(report, shop):
    folder = manifests.schemas_folder()
    if not folder:
        return report.skip("schemas", "schemas", "there is no MUSTER_SHARED with schemas/crds")
    try:
        import jsonschema  # noqa: F401
        import yaml  # noqa: F401
    except ImportError:
        return report.skip("python3-jsonschema", "schemas", "python3-jsonschema and python3-yaml are not installed")
    for path, said in findings(folder, sorted(kube.GOOD.glob("*.yaml"))).items():
        report.check(f"takes good/kube/{path.name}", not said, "; ".join(said))
    for path in lib.broken_files("schemas", ".yaml"):
        said = findings(folder, [path])[path]
        lib.must_reject(report, path, lambda inner, path=path, said=said: inner.check(path.name, not said, "; ".join(said)))
    emitted = [*manifests.emitted(report, shop), *manifests.pinned(report, shop), *manifests.native_gangs(report, shop)]
    verdicts = findings(folder, [manifest.path for manifest in emitted])
    for manifest in emitted:
        said = verdicts[manifest.path]
        report.check(f"{manifest.label} follows its schema", not said, "; ".join(said))
    return None

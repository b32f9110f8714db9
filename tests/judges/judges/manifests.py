"""The Kubernetes manifests that muster writes of every spec, at every site and for every target that takes it."""
import dataclasses
import json
import os
import pathlib
import re

from . import cases, lib

GOLDENS = lib.CHECKOUT / "tests" / "golden" / "cases"
PODS = re.compile(r"^ *(plane [^{]*\{ *)?kind *= *(kubernetes|k3s)\b", re.M)


@dataclasses.dataclass(frozen=True)
class Manifest:
    label: str  # spec, site and target
    path: pathlib.Path
    target: str


def schemas_folder():
    """The folder with crds/ and validate.py, or None."""
    shared = pathlib.Path(os.environ.get("MUSTER_SHARED") or lib.CHECKOUT.parent / "shared").resolve()
    folder = shared / "schemas"
    return folder if (folder / "crds").exists() else None


def targets(shop):
    """The targets that write manifests."""
    listed = json.loads(shop.ask("targets", "--format", "json").stdout)
    return [target["name"] for target in listed if target["capabilities"]["plane"] == "kubernetes"]


def sites():
    """Planes of pods: those of the examples and of the judges."""
    found = [*(cases.EXAMPLES / "sites").glob("*.muster"), *(cases.SPECS / "contract" / "sites").glob("*.muster")]
    return sorted(path for path in found if PODS.search(path.read_text()))


def specs():
    """The examples, the judges' own, and the inputs of the goldens of these targets."""
    own = [*(cases.EXAMPLES / "workloads").glob("*.muster"), *(cases.SPECS / "contract").glob("*.muster")]
    return sorted([*own, *GOLDENS.glob("kube*/*.muster"), *GOLDENS.glob("*job*/*.muster"), *GOLDENS.glob("volcano*/*.muster"), *GOLDENS.glob("lws/*.muster")])


def name_of(spec):
    return spec.parent.name if spec.stem == "in" else spec.stem


def emitted(report, shop):
    """Everything that is written; what a target refuses is refused with a reason, which goldens hold."""
    if not hasattr(shop, "manifests"):
        shop.manifests = list(compile_all(report, shop))
        report.check(f"{len(shop.manifests)} manifests are written, by each of the targets", {m.target for m in shop.manifests} == set(targets(shop)))
    return shop.manifests


def pinned(report, shop):
    """The same with the nodes of the placement, where it can be written."""
    found = list(compile_all(report, shop, "--pin"))
    named = {m.target for m in found if "kubernetes.io/hostname" in m.path.read_text()}
    report.check(f"{len(found)} manifests are pinned, by each of the targets", named == set(targets(shop)), named)
    return found


def native_gangs(report, shop):
    """Gangs of Kubernetes 1.37 itself, whose fields the server's code of 1.36 does not know: schemas alone judge them."""
    folder = GOLDENS / "native-gangs"
    found = [manifest for site in ("by-job", "by-group") for spec in ("ranks", "roles") for target in ("kubernetes", "jobset")
             for manifest in compile_one(report, shop, folder / f"{spec}.muster", folder / f"{site}.muster", target)]
    report.check("gangs of Kubernetes itself are written in both forms", {"  scheduling:\n" in m.path.read_text() for m in found} == {True, False}, found)
    return found


def compile_all(report, shop, *words):
    for target in targets(shop):
        for site in sites():
            for spec in specs():
                yield from compile_one(report, shop, spec, site, target, *words)


def compile_one(report, shop, spec, site, target, *words):
    label = " ".join([f"{name_of(spec)}@{site.stem}.{target}", *words])
    folder = shop.place(f"manifests/{label}")
    done = shop.ask("compile", spec, "--site", site, "--root", spec.parent, "--target", target, "-o", folder, *words)
    if done.returncode == 1:
        return
    if not report.check(f"{label} compiles or is refused", done.returncode == 0, lib.says(done)):
        return
    for path in sorted(folder.rglob("*.yaml")):
        yield Manifest(f"{label}/{path.relative_to(folder)}", path, target)

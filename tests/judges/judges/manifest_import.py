"""Existing manifests: what muster imports and compiles again is the same object to the API server, or each difference is in the report."""
import json
import os
import pathlib
import re
import sys

from . import lib

LIFT = lib.CHECKOUT / "tests" / "lift"
FIXTURES = LIFT / "manifests_fixtures"


def missing():
    """Why it cannot run here, or ""."""
    shared = pathlib.Path(os.environ.get("MUSTER_SHARED") or lib.CHECKOUT.parent / "shared").resolve()
    if not (shared / "cluster-sandbox" / "up.sh").exists():
        return "there is no MUSTER_SHARED with cluster-sandbox"
    return "" if os.getuid() == 0 else "it needs root, for a network of its own"


def rows(shop, spoil=None):
    """What the program says of each object; `spoil` is an edit of what muster wrote again."""
    out = shop.place("manifest-import") / f"rows-{spoil.stem if spoil else 'all'}.jsonl"
    words = [sys.executable, LIFT / "manifests", "--muster", shop.muster, "--out", out]
    files = [FIXTURES]
    if spoil:
        fixture = re.search(r"^# fixture: (.+)$", spoil.read_text(), re.M)[1]
        words, files = [*words, "--spoil", spoil], [FIXTURES / f"{fixture}.yaml"]
    done = lib.run([*words, *files], timeout=1200)
    if not out.exists():
        raise RuntimeError(lib.says(done))
    return [json.loads(line) for line in out.read_text().splitlines()]


def judged(report, found):
    for row in found:
        label = f"{pathlib.Path(row['file']).stem} {row.get('object', '')}"
        why = row.get("why") or "; ".join(f"{path}: {before} -> {after}" for path, before, after in row.get("silent", []))
        report.check(f"{label} comes back, or each difference is named", row["verdict"] in ("equal", "named"), f"{row['verdict']}: {why}")


def judge(report, shop):
    why = missing()
    if why:
        return report.skip("cluster", "manifest-import", why)
    judged(report, rows(shop))
    for path in lib.broken_files("manifest-import", ".sed"):
        lib.must_reject(report, path, lambda inner, path=path: judged(inner, rows(shop, path)))
    return None

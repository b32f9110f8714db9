"""Lint of the examples, the 256 recorded cases and 2,000 generated specs, and of all that is emitted for them."""
import os
import pathlib

from . import lib


def judge(report, _shop):
    tool = lib.binary().parent / "tests" / "muster_emitted"
    if not tool.exists():
        return report.check("emitted", False, f"{tool} is not built")
    shared = pathlib.Path(os.environ.get("MUSTER_SHARED") or lib.CHECKOUT.parent / "shared").resolve()
    cases = shared / "seeds" / "labeller-256.jsonl"
    if not cases.exists():
        report.skip("schemas", "the recorded cases", f"there is no {cases.name}")
    done = lib.run([tool, lib.CHECKOUT, *(["--cases", cases] if cases.exists() else [])], timeout=1500)
    lines = done.stdout.splitlines()
    table = [line for line in lines if line[:3].isupper() and line[3:6].isdigit()]
    report.say("\n".join(f"  {line}" for line in [*table, *lines[-1:]]))
    said = [line for line in lines if line.startswith("FAULT")]
    return report.check("no fault that muster makes impossible is in what it emits", done.returncode == 0, "; ".join(said[:20]) or lib.says(done))

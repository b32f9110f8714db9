"""Lint of the examples, the 256 recorded cases and 2,000 generated specs, and of all that is emitted for them."""
from . import lib


def judge(report, shop):
    tool = lib.binary().parent / "tests" / "muster_emitted"
    if not tool.exists():
        return report.check("emitted", False, f"{tool} is not built")
    cases = lib.shared() / "seeds" / "labeller-256.jsonl"
    done = lib.run([tool, lib.CHECKOUT, "--cases", cases], timeout=900)
    lines = done.stdout.splitlines()
    table = [line for line in lines if line[:3].isupper() and line[3:6].isdigit()]
    report.say("\n".join(f"  {line}" for line in [*table, *lines[-1:]]))
    said = [line for line in lines if line.startswith("FAULT")]
    return report.check("no fault that muster makes impossible is in what it emits", done.returncode == 0, "; ".join(said[:20]) or lib.says(done))

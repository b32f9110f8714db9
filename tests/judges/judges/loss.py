"""The loss contract, whole: 2,000 specs and every example for every target, read back by a reader of its own."""
from . import lib


def judge(report, _shop):
    tool = lib.binary().parent / "tests" / "muster_loss"
    if not tool.exists():
        return report.check("loss", False, f"{tool} is not built")
    done = lib.run([tool, lib.CHECKOUT], timeout=900)
    lines = done.stdout.splitlines()
    report.say("\n".join(f"  {line}" for line in lines[-1:]))
    said = [line for line in lines if line.startswith(("FAULT", "not in", "no mutant"))]
    return report.check("each field is carried, reported or refused, and no mutant survives", done.returncode == 0,
                        "; ".join(said[:20]) or lib.says(done))

"""Whether what muster decides is what it writes, over the examples and 3,000 random pairs of specs and sites."""
from . import lib

PAIRS = 3000


def judge(report, _shop):
    tool = lib.binary().parent / "tests" / "muster_answers"
    if not tool.exists():
        return report.check("answers", False, f"{tool} is not built")
    done = lib.run([tool, lib.CHECKOUT, "--pairs", PAIRS, "--seed", 11], timeout=900)
    lines = done.stdout.splitlines()
    report.say("\n".join(f"  {line}" for line in lines[-1:]))
    faults = [line for line in lines if line.startswith("FAULT")]
    return report.check("what is decided is written and fits, and what can be written is decided", done.returncode == 0, "; ".join(faults[:5]) or lib.says(done))

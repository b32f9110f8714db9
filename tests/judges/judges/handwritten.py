"""Files that an expert wrote: how long they are beside the documentation's, and muster's beside them."""
import sys

from . import lib

sys.path.insert(0, str(lib.CHECKOUT / "tests/handwritten"))
import handwritten  # noqa: E402

WIDEST = 99
MEDIAN = 1.1


def emitted(shop, job):
    """All that muster writes for the job, and what it says."""
    out = shop.place(f"handwritten/{job.file}")
    done = shop.ask("compile", job.spec, "--site", job.site_path, "--root", lib.CHECKOUT, "--target", job.target, "-o", out, "--quiet")
    return "\n".join(path.read_text() for path in sorted(out.iterdir()) if path.suffix in (".yaml", ".yml", ".sbatch", ".pbs", ".lsf")) if done.returncode == 0 else "", lib.says(done)


def judge(report, shop):
    found = []
    for job in handwritten.jobs():
        text = job.path.read_text()
        count, allowed = len(handwritten.lines(text)), job.lines + sum(lines for lines, _ in job.more)
        report.check(f"{job.file} is as short as the documentation's example", count <= allowed, f"{count} lines, of {job.lines} and {allowed - job.lines} with a reason")
        wide = [line for line in text.splitlines() if len(line) > WIDEST]
        report.check(f"{job.file} has lines of less than {WIDEST + 1} characters", not wide, wide)
        theirs, says = emitted(shop, job)
        report.check(f"{job.file}: muster writes the job", theirs, says)
        found.append((job, count, len(handwritten.lines(theirs))))
    for job, count, ours in found:
        report.check(f"{job.file}: muster's file is at most {job.most} times as long", ours <= job.most * count, f"{ours} lines, {count} by hand")
        report.say(f"# {job.file}: {count} lines by hand, {ours} by muster ({ours / count:.2f} times)")
    ratios = sorted(ours / count for _, count, ours in found)
    median = ratios[len(ratios) // 2]
    report.check(f"muster's files are at most {MEDIAN} times as long in the median", median <= MEDIAN, f"{median:.3f}")
    report.say(f"# median {median:.2f} times, most {ratios[-1]:.2f}")

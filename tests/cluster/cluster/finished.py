"""Objects that have ended go away after the time that the plane says (`keep-finished`)."""
from . import gangs, pods
from .lab import Kept

KEPT = 4  # seconds
KINDS = {"kueue": ("job", "jobset", "pytorchjob"), "volcano": ("volcano-job",)}
AT_ONCE = 4


def run(lab, report, providers, words=()):
    cells = [gangs.Cell(lab, kind, provider, "goes away", 2) for provider in providers for kind in KINDS[provider] if not words or kind in words]
    seen = lab.again(lambda cell: one(cell), cells, AT_ONCE, lambda _, kept: kept.failed)
    for kept in seen.values():
        kept.hand_over(report)


def one(cell):
    report = Kept()
    cell.fresh().open()
    cell.site.write_text(cell.site.read_text().replace("namespace ", f"keep-finished = {KEPT}s\n    namespace ", 1))
    try:
        cell.submit("a", 2)
        report.check(f"{cell.label}: runs", cell.starts("a", 2), cell.why())
        report.check(f"{cell.label}: is there while it runs", cell.objects())
        cell.lab.kubelets.end(cell.space.running())
        report.check(f"{cell.label}: is gone after its time", cell.space.until(lambda: not cell.objects(), 60), [pods.conditions(thing) for thing in cell.objects()])
    finally:
        cell.close()
    return report

"""What KEDA's own admission says of the ScaledObjects that muster writes; by hand, where it has been built."""
from . import broken, examples, queues
from .api import Refused


def run(lab, report, words=()):
    """`words`: only cases whose labels hold one of these."""
    for site, found in examples.cases(lab, lab.muster, ("kueue", "volcano", "")):
        machines = lab.furnish(site, 4, name=f"scaled-{site.name}")
        for case in found:
            if not words or any(word in case.label for word in words):
                one(lab, report, case)
        examples.remove(lab, f"scaled-{site.name}", machines)
    for path in sorted((broken.FOLDER / "keda").glob("*.yaml")):
        if not words or any(word in path.name for word in words):
            broken.one(lab, report, path)


def one(lab, report, case):
    case.space = lab.space_name("s")
    documents, _ = lab.compile(case.spec, lab.site_in(case.site.path, case.space), case.target)
    if not any(document["kind"] == "ScaledObject" for document in documents or ()):
        return
    queues.provide(lab.api, case.space, documents, f"scaled-{case.site.name}")
    said = ""
    try:
        lab.create(documents, case.space)
    except Refused as refused:
        said = refused
    report.check(f"{case.label}: KEDA takes its ScaledObject", not said, said)
    lab.space(case.space).clear()

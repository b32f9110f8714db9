"""Real outputs with a known cause: what `muster why` names, it names rightly; what a paste cannot tell, it asks for.

Each case is a folder of why-cases: with full input, as it was pasted, and put together in other ways. A case that is not
named counts as unknown; a wrong cause fails. MUSTER_WHY_SEED is where the ways start."""
import collections
import json
import os
import pathlib
import random
import re

from . import lib

OF_THE_MAKER = {"case.json", "paste.txt", "log-repaired.txt", "train.py", "app.c", "driver.py", "command.txt", "hosts", "run.sh", "repair.yaml", "ns.yaml"}
LEAST = {"full": 0.95, "paste": 0.90, "shuffled": 0.90, "doubled": 0.90, "dos": 0.90, "quoted": 0.90, "cut": 0.65, "mixed": 0.72,
         "own, full": 0.80, "own, shuffled": 0.80, "own, doubled": 0.75, "own, dos": 0.75, "own, quoted": 0.75, "own, cut": 0.45, "own, mixed": 0.60}


def folder():
    shared = pathlib.Path(os.environ.get("MUSTER_SHARED") or lib.CHECKOUT.parent / "shared").resolve()
    return shared / "why-cases"


def cases(root):
    """The folder, system and code of each case."""
    rows = [line.split("\t") for line in (root / "INDEX.tsv").read_text().splitlines()[1:]]
    return [(root / name, system, code) for name, system, code, *_ in rows]


def own_cases():
    """Those of the project: tests/why."""
    for path in sorted((lib.CHECKOUT / "tests" / "why").glob("*/case.json")):
        told = json.loads(path.read_text())
        yield path.parent, told["system"], told["code"]


def inputs(case):
    return [path for path in sorted(case.iterdir()) if path.name not in OF_THE_MAKER and not path.name.startswith("repaired")]


def named(shop, files):
    """The causes that are named, each with what it is said of."""
    done = lib.run([shop.muster, "why", "--format", "json", *files], timeout=120)
    if done.returncode == 2:
        return set()
    if done.returncode not in (0, 1):
        raise RuntimeError(lib.says(done))
    return {(subject["code"], subject["id"]) for subject in json.loads(done.stdout)["subjects"] if subject["code"]}


def codes(found):
    return {code for code, _ in found}


def known_as(files, found):
    """What is found in the outputs of one case, under the names that it has beside another."""
    spaces = set(re.findall(r"(?mi)^ *namespace: +([\w-]+)", stream(files)))
    for cause, of in found:
        yield cause, of
        yield from ((cause, f"{space}/{of}") for space in spaces if of)
        yield from ((cause, f"submission {number}") for number in (1, 2, 3, 4) if not of)
        yield from ((cause, space) for space in spaces if not of)


def stream(files, width=None):
    text = "\n\n".join(path.read_text(errors="replace").rstrip("\n") for path in files) + "\n"
    return "\n".join(line[:width] for line in text.split("\n")) if width else text


def ways(files, draw):
    """The same outputs as people paste them, in one stream."""
    mixed = list(files)
    draw.shuffle(mixed)
    yield "shuffled", stream(mixed)
    yield "doubled", stream([*files, *files])
    yield "dos", stream(files).replace("\n", "\r\n")
    yield "quoted", "".join(f"> {line}\n" for line in stream(files).split("\n"))
    yield "cut", stream(files, 80)
    if "nvidia.com/gpu" in stream(files):
        yield "other vendor", stream(files).replace("nvidia.com/gpu", "amd.com/gpu")


def count(report, tally, way, label, got, allowed, want):
    """Right, unknown or wrong; `allowed` are the codes that may be named."""
    wrong = got - allowed
    if wrong:
        report.check(f"{label} {way}", False, f"is {want}, named {' '.join(sorted(wrong))}")
    healthy = want == "unknown" and not got
    tally[way]["wrong" if wrong else "right" if want in got or healthy else "unknown"] += 1


def judge_case(report, shop, tally, place, others, seed, whose=""):
    case, system, code = place
    draw = random.Random(f"{seed} {case.name}")
    allowed = set() if code == "unknown" else {code}
    files = inputs(case)
    own = named(shop, files)
    count(report, tally, whose + "full", case.name, codes(own), allowed, code)
    if (case / "paste.txt").exists():
        tells = json.loads((case / "case.json").read_text())["paste"]["expect"] == "cause"
        count(report, tally, "paste" if tells else "paste that cannot tell", case.name, codes(named(shop, [case / "paste.txt"])), allowed, code)
    written = shop.folder / "pasted.txt"
    for way, text in ways(files, draw):
        written.write_bytes(text.encode())
        count(report, tally, whose + way, case.name, codes(named(shop, [written])), allowed, code)
    other, _, other_code = draw.choice([one for one in others if one[1] == system and one[2] != code])
    both = [*files, *inputs(other)]
    draw.shuffle(both)
    written.write_bytes(stream(both).encode())
    got = named(shop, [written])
    count(report, tally, whose + "mixed", f"{case.name} with {other.name}", codes(got), allowed | ({other_code} - {"unknown"}), code)
    # What is said of one of them is not said of the other.
    alone = {pair for one, found in ((files, own), (inputs(other), named(shop, inputs(other)))) for pair in known_as(one, found)}
    moved = {f"{cause} of {of}" for cause, of in got if cause in codes(alone) and (cause, of) not in alone}
    tally[whose + "mixed"]["moved"] += bool(moved)
    if moved:
        report.say(f"# {case.name} with {other.name}: {' '.join(sorted(moved))}")


def notices_a_wrong_cause(report):
    inner, tally = lib.Report(quiet=True), collections.defaultdict(collections.Counter)
    count(inner, tally, "full", "a case", {"slurm/held-by-user"}, {"slurm/held-by-admin"}, "slurm/held-by-admin")
    report.check("notices a wrong cause", inner.failed == 1 and tally["full"]["wrong"] == 1)


def judge(report, shop):
    root = folder()
    if not (root / "INDEX.tsv").exists():
        return report.skip("why-cases", "why", "there is no MUSTER_SHARED with why-cases")
    notices_a_wrong_cause(report)
    tally = collections.defaultdict(collections.Counter)
    seed = os.environ.get("MUSTER_WHY_SEED", "20261130")
    shared, own = cases(root), list(own_cases())
    for place in shared:
        judge_case(report, shop, tally, place, shared, seed)
    for place in own:
        judge_case(report, shop, tally, place, own, seed, "own, ")
    for way, counts in tally.items():
        all_of = counts["right"] + counts["unknown"] + counts["wrong"]
        report.say(f"# {way}: {counts['right']} right, {counts['unknown']} unknown, {counts['wrong']} wrong of {all_of}")
        report.check(f"{way}: no wrong cause, and none of another object", counts["wrong"] + counts["moved"] == 0, dict(counts))
        least = LEAST.get(way, 0)
        report.check(f"{way}: at least {least:.0%} right", counts["right"] >= least * all_of, counts["right"])
    return None

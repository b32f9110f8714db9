"""What two binaries make of the same scripts: grades side by side, what changed, and whether each new refusal names a word of its line."""
import collections
import concurrent.futures
import json
import pathlib
import tempfile

from judges import lib

from . import refusal

GRADES = ("lifted", "lifted with script", "lifted with compat", "wrapped", "not imported")
GOOD = GRADES[:2]  # a move between these two refuses nothing
FEWER, MORE = 2.0, 1.0  # points that the good grades may lose, and that "not imported" may gain


def one(binary, path):
    """{"grade", "why", "stands"} of one script."""
    with tempfile.TemporaryDirectory() as folder:
        done = lib.run([binary, "import", path, "-o", folder, "--force", "--format", "json", "--diagnostics", "short"], timeout=30)
    try:
        report = json.loads(done.stdout)["scripts"][0]
    except (ValueError, IndexError, KeyError):
        report = {"imported": False}
    if not report["imported"]:
        first = (refusal.errors(done.stderr) or [("", 0, done.stderr.strip()[:200] or f"exit {done.returncode}")])[0]
        return {"grade": "not imported", "why": first[2], "at": first[1], "stands": refusal.named_in_line(done.stderr)}
    return {"grade": report["grade"], "why": report.get("reason", ""), "at": report.get("reason_at", "").split(":")[-2:-1], "stands": refusal.reason_stands(report)}


def compared(base, head, paths, workers=2):
    """[(path, of base, of head)]"""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return list(zip(paths, pool.map(lambda path: one(base, path), paths), pool.map(lambda path: one(head, path), paths)))


def share(rows, side, grades):
    return 100 * sum(row[side]["grade"] in grades for row in rows) / max(1, len(rows))


def show(rows, most):
    print(f"{'':<22}{'base':>8}{'head':>8}{'points':>9}")
    for grade in GRADES:
        old, new = (sum(row[side]["grade"] == grade for row in rows) for side in (1, 2))
        print(f"{grade:<22}{old:>8}{new:>8}{100 * (new - old) / max(1, len(rows)):>+9.2f}")
    moves = collections.Counter((old["grade"], new["grade"]) for _, old, new in rows if old["grade"] != new["grade"])
    for (old, new), count in moves.most_common():
        print(f"  {count:>5}  {old} -> {new}")
    worse = [row for row in rows if row[2]["grade"] not in GOOD and GRADES.index(row[2]["grade"]) > GRADES.index(row[1]["grade"])]
    without = [row for row in worse if not row[2]["stands"]]
    print(f"new refusals that name a word of their line: {len(worse) - len(without)} of {len(worse)}")
    for path, old, new in [*without, *(row for row in worse if row[2]["stands"])][:most]:
        print(f"  {'' if new['stands'] else 'NO WORD '}{pathlib.Path(path).name}: {old['grade']} -> {new['grade']}: {new['why'][:160]} (line {new['at']})")
    return verdict(rows, without)


def verdict(rows, without):
    """0 where the bar holds."""
    fewer = share(rows, 1, GOOD) - share(rows, 2, GOOD)
    more = share(rows, 2, GRADES[-1:]) - share(rows, 1, GRADES[-1:])
    print(f"lifted or lifted with script: {-fewer:+.2f} points (at least {-FEWER:+.0f}); not imported: {more:+.2f} (at most {MORE:+.0f})")
    return 1 if fewer > FEWER or more > MORE or without else 0

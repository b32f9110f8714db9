"""The classes of faults as a campaign: variants are drawn, run, and judged."""
import argparse
import collections
import random
import re
import sys

from . import campaign, table, variants

SPARE = 1.5  # so many more are drawn, for some that Slurm refuses


def drawn(names, count, seed):
    """{name of a variant: it}; alike ones are drawn again."""
    out = {}
    for title, make in variants.SCRIPTS.items():
        if names and not any(title.startswith(name) for name in names):
            continue
        draw, seen = random.Random(f"{seed} {title}"), set()
        for _ in range(40 * count):
            if len(seen) == round(SPARE * count):
                break
            variant = make(draw)
            key = (variant.text, variant.given, variant.source, variant.then)
            if key not in seen:
                seen.add(key)
                out[f"{re.sub(r'[^a-z]+', '-', title.lower())}-{len(seen):03d}"] = variant
    return out


def title_of(name):
    stem = name.rpartition("-")[0]
    return next(title for title in variants.SCRIPTS if re.sub(r"[^a-z]+", "-", title.lower()) == stem)


def judged(made, folder, workers, count=None, binary=None):
    """A row for each variant that Slurm takes, `count` at most of a class: {"name", "title", "outcome", "fault"}."""
    for name, variant in made.items():
        (folder / f"{name}.sbatch").write_text(variant.text)
    choice = argparse.Namespace(folder=folder, blobs=[], count=None, seed=1, out=None, pods=True, failing=False, keep=None, workers=workers, import_option=[], variants=made, again=True, binary=binary)
    rows, had, left_out = [], collections.Counter(), collections.Counter()
    for result in sorted(campaign.run(choice), key=lambda result: result["blob"]):
        name = result["blob"].partition("~")[0]
        title = title_of(name)
        if result["verdict"] == "no record":
            left_out[f"{title}: {result['why'][:90]}"] += 1
            continue
        had[title] += 1
        if count is None or had[title] <= count:
            rows.append({"name": name, "title": title, **outcome(result, made[name])})
    for why, many in sorted(left_out.items()):
        print(f"left out {many:>3}  {why}", file=sys.stderr)
    return rows


def outcome(result, variant):
    """How a variant ended, and what is wrong with it, or ""."""
    ends = [on_slurm(result, variant)]
    if variant.pods and result["verdict"] in ("equal", "named"):
        ends.append(on_pods(result, variant))
    return next((end for end in ends if end["fault"]), ends[-1])


def on_slurm(result, variant):
    verdict = result["verdict"]
    if verdict == "not imported" and variant.then:
        return {"outcome": "silent", "fault": f"after the second import the first does not compile: {result['why'][:200]}"}
    if verdict == "not imported":
        return {"outcome": "refused", "fault": "" if result.get("stands") else f"the refusal names no word of its line: {result['why']}"}
    if verdict in ("silent", "deleted", "broken"):
        return {"outcome": verdict, "fault": said(result.get("differences", [])) or result["why"] or verdict}
    kept = result["grade"] == "wrapped" and verdict == "equal"
    return {"outcome": "kept" if kept else verdict, "fault": ""}


def on_pods(result, variant):
    if "pods_refused" in result:
        return {"outcome": "refused", "fault": "" if result.get("pods_stands") else f"for pods, the refusal names no word of its line: {result['pods_refused']}"}
    verdict = table.pods_verdict(result)
    lost = sorted(set(variant.asks) - set(result["asked"])) if verdict != "named" else []
    fault = f"on pods {said(result['pods_differences'])}" if verdict in ("silent", "deleted") else f"the pods ask for no {' and no '.join(lost)}" if lost else ""
    return {"outcome": "silent" if lost else verdict, "fault": fault}


def said(differences):
    return "; ".join(f"{each['what']} {each['name']}: {each['before'][:160]} -> {each['after'][:160]}" for each in differences if not each["named"])[:600]


OUTCOMES = ("equal", "named", "kept", "refused", "silent", "deleted", "broken")


def show(rows, made, most):
    print(f"{'':<26}" + "".join(f"{name:>9}" for name in OUTCOMES) + f"{'right':>14}")
    for title in dict.fromkeys(row["title"] for row in rows):
        group = [row for row in rows if row["title"] == title]
        counts = collections.Counter(row["outcome"] for row in group)
        right = sum(not row["fault"] for row in group)
        print(f"{title:<26}" + "".join(f"{counts[name]:>9}" for name in OUTCOMES) + f"{f'{right} of {len(group)}':>14}")
    for row in rows:
        most_of = [each for each in rows if each["title"] == row["title"] and each["fault"]][:most]
        if row in most_of:
            print(f"\n{row['name']}: {row['fault']}\n" + "".join(f"  | {line}\n" for line in (made[row["name"]].source or made[row["name"]].text).splitlines()), end="")


def keep(rows, made, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        if row["fault"]:
            variant = made[row["name"]]
            (folder / f"{row['name']}.{variant.ending}").write_text((variant.source or variant.text) + f"# given: {list(variant.given)}\n# {row['fault']}\n")

"""The classes of faults as a campaign: variants are drawn, run, and judged."""
import argparse
import collections
import pathlib
import random
import re
import sys

from judges import lib

from . import campaign, refusal, table, variants, variants_pods

MANIFESTS, IMAGES = variants_pods.MANIFESTS, variants_pods.IMAGES
CLASSES = {**variants.SCRIPTS, **MANIFESTS, **IMAGES}

SPARE = 1.5  # so many more are drawn, for some that Slurm refuses


def drawn(names, count, seed):
    """{name of a variant: it}; alike ones are drawn again."""
    out = {}
    for title, make in CLASSES.items():
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
    return next(title for title in CLASSES if re.sub(r"[^a-z]+", "-", title.lower()) == stem)


def judged(made, folder, workers, count=None, binary=None):
    """A row for each variant that its system takes, `count` at most of a class: {"name", "title", "outcome", "fault"}."""
    rows, had, left_out = [], collections.Counter(), collections.Counter()
    for name, end in sorted([*of_scripts(made, folder / "scripts", workers, binary), *of_manifests(made, folder / "manifests", workers, binary), *of_images(made, folder / "images", binary)],
                            key=lambda pair: pair[0]):
        title = title_of(name)
        if end["outcome"] == "no record":
            left_out[f"{title}: {end['fault'][:90]}"] += 1
            continue
        had[title] += 1
        if count is None or had[title] <= count:
            rows.append({"name": name, "title": title, **end})
    for why, many in sorted(left_out.items()):
        print(f"left out {many:>3}  {why}", file=sys.stderr)
    return rows


def placed(made, classes, folder):
    """The variants of these classes, each in a file of its name."""
    folder.mkdir()
    chosen = {name: variant for name, variant in made.items() if title_of(name) in classes}
    for name, variant in chosen.items():
        (folder / f"{name}.{variant.ending if classes is not variants.SCRIPTS else 'sbatch'}").write_text(variant.text)
    return chosen


def of_scripts(made, folder, workers, binary):
    chosen = placed(made, variants.SCRIPTS, folder)
    choice = argparse.Namespace(folder=folder, blobs=[], count=None, seed=1, out=None, pods=True, failing=False, keep=None, workers=workers, import_option=[], variants=chosen, again=True, binary=binary)
    for result in campaign.run(choice) if chosen else ():
        name = result["blob"].partition("~")[0]
        yield name, {"outcome": "no record", "fault": result["why"]} if result["verdict"] == "no record" else outcome(result, made[name])


def of_manifests(made, folder, workers, binary):
    chosen = placed(made, MANIFESTS, folder)
    if not chosen:
        return
    from . import manifests_campaign  # reads YAML, which a machine for scripts may lack
    choice = argparse.Namespace(paths=[folder], workers=workers, import_option=[], binary=binary)
    for result in manifests_campaign.run(choice):
        name = pathlib.Path(result["file"]).stem
        yield name, of_manifest(result, made[name])


def of_manifest(result, variant):
    if variant.never and variant.never in result.get("imported_text", ""):
        return {"outcome": "silent", "fault": "a file that the import wrote holds the token"}
    if result["verdict"] in ("no record", "broken", "not imported"):
        outcome_ = "refused" if result["verdict"] == "not imported" else result["verdict"]
        bad = result["verdict"] == "broken" or result["verdict"] == "not imported" and not result.get("stands")
        return {"outcome": outcome_, "fault": result["why"] or "?" if bad or outcome_ == "no record" else ""}
    ends = []
    for key, place in (("same", "as the same kind"), ("slurm", "on Slurm")):
        if key in result:
            verdict = table.compare.verdict(result[key])
            ends.append({"outcome": verdict, "fault": f"{place}: {said(result[key])}" if verdict in ("silent", "deleted") else ""})
        elif f"{key}_refused" in result:
            ends.append({"outcome": "refused", "fault": "" if result.get(f"{key}_stands") else f"{place}, the refusal names no word of its line: {result[f'{key}_refused'][:300]}"})
    return next((end for end in ends if end["fault"]), ends[0])


def of_images(made, folder, binary):
    """The image of every container, or that of the step on Slurm."""
    for name, variant in placed(made, IMAGES, folder).items():
        site = folder / f"{name}.site"
        site.write_text(variant.then)
        target, wanted = variant.given
        done = lib.run([binary or lib.binary(), "compile", "-q", folder / f"{name}.muster", "--site", site, "--target", target, "--diagnostics", "short"])
        found = {image.replace("#", "/") for image in re.findall(r"(?:image: |--container-image=)[\"']?([\w./:#-]+)", done.stdout)}
        if done.returncode:
            yield name, {"outcome": "refused", "fault": "" if refusal.named_in_line(done.stderr) else done.stderr[:300]}
        else:
            yield name, {"outcome": "equal" if found == ({wanted} - {""}) else "silent", "fault": "" if found == ({wanted} - {""}) else f"for {target}: {wanted} -> {' '.join(sorted(found))}"}


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
    if variant.elsewhere and result["grade"] == "wrapped" and result.get("reason_stands"):  # the text is kept, and why names the launcher
        return {"outcome": "kept", "fault": ""}
    if verdict in ("silent", "deleted", "broken"):
        return {"outcome": verdict, "fault": said(result.get("differences", [])) or result["why"] or verdict}
    kept = result["grade"] == "wrapped" and verdict == "equal"
    return {"outcome": "kept" if kept else verdict, "fault": ""}


def on_pods(result, variant):
    if "pods_refused" in result:
        return {"outcome": "refused", "fault": "" if result.get("pods_stands") else f"for pods, the refusal names no word of its line: {result['pods_refused']}"}
    verdict = table.pods_verdict(result)
    lost = sorted(set(variant.asks) - set(result["asked"]))
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

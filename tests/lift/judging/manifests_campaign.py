"""A campaign over manifests: each object is imported, compiled to its own kind and for Slurm, and all three run in a world."""
import base64
import collections
import json
import pathlib
import random
import re

import yaml

from . import campaign, choose, compare, manifests_side, named, refusal, rooms

SITE = pathlib.Path(__file__).resolve().parents[3] / "examples" / "sites" / "kubeflow.muster"
SECRET = re.compile(r"secret(\\? [\w\\.-]+/[\w\\.-]+)?")
# A program that is another one is not made good by a line that shows both.
OF_PROGRAMS = ("process gone", "process added", "program", "argv")


TOO_LARGE = "PartitionNodeLimit"  # more nodes than the fleet has
ENDINGS = (".yaml", ".yml", ".json", ".muster")


def files_of(paths, muster, folder):
    """Manifests; of a workload, what it becomes for each target of pods at the site beside it, or at one of the examples."""
    for path in map(pathlib.Path, paths):
        for each in sorted(p for p in path.rglob("*") if p.suffix in ENDINGS) if path.is_dir() else [path]:
            yield from emitted(each, muster, folder) if each.suffix == ".muster" else [each]


def emitted(path, muster, folder):
    site = path.with_name("pods.site") if path.with_name("pods.site").exists() else SITE
    for target in muster.targets_of_pods() if path.stem != "site" else ():
        written, _ = manifests_side.compiled(muster, path, site, folder / f"{path.stem}-{target}", "--target", target, "--names", "fixed")
        if written and written.suffix == ".yaml":
            yield written.rename(written.with_name(f"{path.stem}-{target}.yaml"))


def run(arguments):
    """Yields one result for each object of the files that has pods."""
    if why := campaign.missing():
        raise SystemExit(why)
    with campaign.Place() as place:
        muster, cases = campaign.Importer(place, arguments), {}
        for number, path in enumerate(files_of(arguments.paths, muster, place.folder / "emitted")):
            for case in prepared(muster, path, place.folder / f"manifest-{number}"):
                cases[case["blob"]] = case
                if "item" not in case:
                    yield case
        todo = drawn([case for case in cases.values() if "item" in case], getattr(arguments, "count", None), getattr(arguments, "seed", 1))
        size = max(1, min(campaign.BATCH, -(-len(todo) // arguments.workers)))
        batches = [(["#SBATCH -N 4", *(case["script"] for case in part)], [case["item"] for case in part]) for part in (todo[i:i + size] for i in range(0, len(todo), size))]
        for seen in rooms.run(place.folder / "worlds", batches, arguments.workers):
            yield judged(cases[seen["blob"]], seen)


def drawn(cases, count, seed):
    """So many, one of each kind of object before the second of any."""
    if count is None:
        return cases
    random.Random(seed).shuffle(cases)
    seen, rounds = collections.Counter(), []
    for case in cases:
        seen[case["kind"]] += 1
        rounds.append((seen[case["kind"]], case))
    return [case for _, case in sorted(rounds, key=lambda pair: pair[0])][:count]


def prepared(muster, path, folder):
    """A case for each object: the plan of its own pods, of those that came back, and the job of Slurm."""
    folder.mkdir(parents=True)
    done = muster.run("import", path, "-o", folder / "in", "--format", "json", "--diagnostics", "short")
    base = {"file": str(path), "kind": "", "blob": str(path)}
    try:
        documents = [document for document in yaml.safe_load_all(path.read_text()) if isinstance(document, dict)]
        documents = [each for document in documents for each in (document.get("items", []) if str(document.get("kind", "")).endswith("List") else [document])]
        reports = json.loads(done.stdout)["scripts"]
    except (ValueError, yaml.YAMLError):
        return [{**base, "verdict": "not imported", "why": done.stderr.strip()[:300], "stands": refusal.named_in_line(done.stderr)}]
    out = []
    for number, read in enumerate(manifests_side.objects(documents)):
        document = read.documents[0]
        name = f"{document['kind']}/{document['metadata'].get('generateName') or document['metadata']['name']}"
        case = {**base, "blob": f"{path.name}-{number}", "kind": document["kind"], "object": name}
        report = next((report for report in reports if report.get("object") == name and report["imported"]), None)
        if report is None:
            out.append({**case, "verdict": "not imported", "why": done.stderr.strip()[:300], "stands": refusal.named_in_line(done.stderr)})
            continue
        out.append(planned(muster, read, report, case, folder))
    return out


def planned(muster, read, report, case, folder):
    at = folder / case["blob"]
    workload, site = folder / "in" / report["written"], folder / "in" / "site.muster"
    case["imported_text"] = "".join(each.read_text(encoding="utf-8", errors="replace") for each in sorted((folder / "in").iterdir()) if each.is_file())
    case |= {"report": report, "grade": report["grade"], "written": workload.read_text(encoding="utf-8", errors="replace")}
    try:
        before = manifests_side.plan(read)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, StopIteration) as error:
        return {**case, "verdict": "no record", "why": f"its pods are not known: {type(error).__name__} {error}"}
    back, said = manifests_side.compiled(muster, workload, manifests_side.site_with_gang(site, report), at / "same", "--target", report["target"], "--names", "fixed")
    same = None
    if back:
        made = [each for each in manifests_side.objects([document for document in yaml.safe_load_all(back.read_text()) if document]) if each.documents[0]["kind"] == case["kind"]]
        same = made[0] if made else None
    if same is None:
        case["same_refused"], case["same_stands"] = said[:400], refusal.named_in_line(said)
    own = at / "slurm.muster"
    at.mkdir(exist_ok=True)
    own.write_text(manifests_side.slurm_site(case["written"]))
    script, said = manifests_side.compiled(muster, workload, own, at / "slurm", "--target", "ray-on-slurm" if case["kind"] in manifests_side.RAY else "slurm")
    if not script:
        case["slurm_refused"], case["slurm_stands"] = said[:400], refusal.named_in_line(said)
    case["script"] = script.read_text() if script else ""
    case["said"] = said.splitlines()
    return {**case, "item": item(case, read, before, same, script)}


def item(case, read, before, same, script):
    ids = choose.array_ids(case["script"]) or []
    options, tasks, twin = [], 1, same
    same = twin and manifests_side.plan(twin)
    if ids:
        chosen = choose.some(ids)
        options, tasks = [f"--array={','.join(str(ids[i]) for i in chosen)}"], len(chosen)
        if len(ids) == manifests_side.count(read):
            before = manifests_side.plan(read, chosen)
            same = twin and manifests_side.plan(twin, chosen if manifests_side.count(twin) == len(ids) else None)
    secrets = re.findall(r"(?m)^\s*secret\s+([\w.-]+)\b", case["written"])
    packed = ("job", base64.b64encode(script.read_bytes()).decode()) if script else None
    return {"blob": case["blob"], "before": before, "same": same, "result": packed, "options": options, "tasks": tasks, "secrets": sorted(set(secrets)),
            "text": manifests_side.text(before, same) + "\n" + case["script"], "programs": manifests_side.programs(before, same)}


# ---- verdicts --------------------------------------------------------------------------------------

def judged(case, seen):
    case.pop("item")
    if "broken" in seen:
        return {**case, "verdict": "broken", "why": seen["broken"]}
    before = seen["before"]
    if before["unended"]:
        return {**case, "verdict": "no record", "why": "the original does not end"}
    if not before["log"]:
        return {**case, "verdict": "no record", "why": "the original starts no program: " + str(before["errors"])[:200]}
    case["processes"] = len(before["log"])
    for key, differ in (("same", compare.of_same_kind), ("slurm", compare.pods_on_slurm)):
        if key not in seen or TOO_LARGE in str(seen[key].get("unended", "")):
            continue
        if "refused" in seen[key]:
            case[key] = [{"what": "refused", "name": "", "before": "", "after": seen[key]["refused"], "named": False}]
            continue
        told = {"report": case["report"], "compile": [{"fate": "approximated", "text": line} for line in case["said"] if key == "slurm"]}
        case[key] = [{**each, "named": is_named(each, told)} for each in differ(before, seen[key])]
    found = case.get("same", []) + case.get("slurm", [])
    return {**case, "verdict": compare.verdict(found) if "same" in case or "slurm" in case else "not compiled", "why": case.get("same_refused", "")}


def is_named(difference, told):
    if difference["what"] == "process gone" and difference["name"] == compare.OWN_PROGRAM:  # of a container beside the program's
        return any(re.search(r"ontainers\[(?!0\])", line.get("option", line.get("text", ""))) for line in named.lines_of(told))
    if SECRET.search(difference["after"]) and re.fullmatch(SECRET.sub(".+", re.escape(difference["after"])), difference["before"], re.S):
        return any("secret" in str(line) for line in named.lines_of(told))  # what the cluster's Secret will hold
    quiet = (*named.QUIET, "approximated") if difference["what"] in OF_PROGRAMS else named.QUIET
    return named.is_named(difference, told, quiet)


def of(case, key):
    """How the object ended as this: equal, named, silent, deleted, refused or not tried."""
    if key in case:
        return compare.verdict(case[key])
    return "refused" if f"{key}_refused" in case else case["verdict"]

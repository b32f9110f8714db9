"""A campaign: scripts are imported and compiled here, run in worlds, and compared here."""
import collections
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from corpus import directives, tool
from judges import lib

from . import choose, compare, given, named, pods_side, refusal, rooms, runs

BATCH = 40  # scripts for one world, at most


class Place:
    """A folder of this campaign, with a copy of muster."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-lift-")).resolve()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)


def run(arguments):
    """Yields one result a script, as worlds end them."""
    if why := missing():
        sys.exit(why)
    scripts = choose.scripts(arguments)
    known = read(arguments.out, {script.blob for script in scripts})
    yield from known
    done = {result["blob"].partition("~")[0] for result in known}
    with Place() as place:
        muster = Importer(place, arguments)
        todo, by_blob = [], {}
        for case in (case for script in scripts if script.blob not in done for case in prepared(muster, script, place, arguments)):
            by_blob[case["blob"]] = case
            if "verdict" in case:
                yield written(arguments, case)
            else:
                todo.append(case)
        todo.sort(key=lambda case: (case["nodes"], case["blob"]))  # alike in size, so that a small fleet serves most
        size = max(1, min(BATCH, -(-len(todo) // arguments.workers)))
        batches = [([text for case in part for text in case["texts"]], [case["item"] for case in part]) for part in
                   (todo[i:i + size] for i in range(0, len(todo), size))]
        count = len(done)
        again, originals = [], collections.defaultdict(list)
        for seen in rooms.run(place.folder / "first", sorted(batches, key=lambda batch: -len(batch[0])), arguments.workers):
            count += 1
            if sys.stderr.isatty() or count % 50 == 0:
                print(f"{count} of {len(done) + len(by_blob)}", file=sys.stderr)
            result = judged(by_blob[seen["blob"]], seen, arguments)
            if getattr(arguments, "again", False) and doubtful(result) and result["blob"].partition("~")[0] not in muster.edits:
                again.append(result)
                originals[seen["blob"]].append(seen.get("before"))
            else:
                yield written(arguments, result)
        # What differs, differs each time: a busy machine may end a program in the background before it begins.
        for turn, workers in (("second", arguments.workers), ("third", 1)):
            firsts = {result["blob"]: result for result in again}
            cases, again = [by_blob[blob] for blob in firsts], []
            batches = [([text for case in part for text in case["texts"]], [case["item"] for case in part]) for part in (cases[i:i + BATCH] for i in range(0, len(cases), BATCH))]
            for seen in rooms.run(place.folder / turn, batches, workers):
                result = judged(by_blob[seen["blob"]], seen, arguments, originals[seen["blob"]])
                originals[seen["blob"]].append(seen.get("before"))
                if doubtful(result):
                    again.append(firsts[seen["blob"]])
                else:
                    yield written(arguments, result)
        for result in again:
            yield written(arguments, result)


def missing():
    """What this machine lacks, or None. The sandbox installs a Slurm where there is none."""
    if os.geteuid() != 0:
        return "root is needed: a script runs in namespaces of its own"
    if lib.run(["unshare", "--mount", "--pid", "--net", "--uts", "--ipc", "--fork", "mount", "-t", "tmpfs", "none", "/mnt"]).returncode:
        return "namespaces are needed, and unshare may not make them here"
    if not shutil.which("slurmctld", path="/usr/sbin:/usr/bin:/sbin"):
        sandbox = lib.sandbox_folder()
        if not sandbox:
            return "Slurm is needed (slurmctld, slurmd), or the sandbox of MUSTER_SHARED, which installs it"
        with tempfile.TemporaryDirectory() as state:
            subprocess.run(["bash", sandbox / "up.sh", "--dir", state, "1"], check=False, stdout=subprocess.DEVNULL)
            subprocess.run(["bash", sandbox / "down.sh", "--dir", state], check=False, stdout=subprocess.DEVNULL)
    return None if shutil.which("slurmctld", path="/usr/sbin:/usr/bin:/sbin") else "Slurm is needed: slurmctld and slurmd"


class Importer(tool.Muster):
    """muster import and compile, with what the caller hands to import and does to results."""

    def __init__(self, place, arguments):
        super().__init__(place)
        self.options = arguments.import_option
        self.edits = getattr(arguments, "edits", {})
        self.variants = getattr(arguments, "variants", {})
        self.lifted = getattr(arguments, "lifted", None)
        if binary := getattr(arguments, "binary", None):
            lib.copy_program(binary, self.binary)

    def imported(self, script, folder):
        """As the corpus does it; or, where a person has lifted the script, that: `# named: WORD…` in it is the report."""
        by_hand = self.lifted / f"{script.file.stem}.muster" if self.lifted else None
        if not by_hand or not by_hand.exists():
            return super().imported(script, folder)
        folder.mkdir(parents=True)
        shutil.copy(by_hand, folder)
        own_site = self.lifted / f"{script.file.stem}.site"
        shutil.copy(own_site if own_site.exists() else self.lifted / "site.muster", folder / "site.muster")
        names = re.findall(r"(?m)^# named: (.*)$", by_hand.read_text())
        return tool.Written(report={"written": by_hand.name, "grade": "lifted", "lines": [{"fate": "dropped", "names": line.split()} for line in names]})

    def targets_of_pods(self):
        """The names of the targets that write objects of pods."""
        return [target["name"] for target in json.loads(self.run("targets", "--format", "json").stdout) if target["capabilities"]["plane"] == "kubernetes"]

    def second(self, text, script, folder):
        """Another script, imported into the same folder as one after the first."""
        path = script.file.with_name("second.sbatch")
        path.write_text(text)
        self.run("import", path, "-o", folder, "--force")

    def run(self, *words, timeout=10):
        return super().run(*words, *(self.options if words[0] == "import" else ()), timeout=timeout)


def prepared(muster, script, place, arguments):
    """The cases of this script, one for each list of arguments: what is needed to run it, or a verdict where it cannot be run."""
    text = script.text()
    case = {"blob": script.blob, "origin": script.origin, "text": text, "grade": "none", "report": {}}
    nodes, tasks = rooms.size(text)
    case["nodes"] = nodes
    if why := unfit(text, nodes, tasks):
        return [{**case, "verdict": "no record", "why": why}]
    script = well_named(script, place.folder / "scripts")
    folder = place.folder / "import" / script.blob
    variant = muster.variants.get(script.blob)
    imported = muster.imported(source_of(script, variant), folder)
    if variant and variant.then and not imported.failed:
        muster.second(variant.then, script, folder)
    case["report"] = imported.report
    if not (variant and variant.source) and any(line["at"].count(":") > 1 and int(line["at"].split(":")[-2]) > len(list(directives.head(text))) for line in case["report"].get("directives", [])):
        return [{**case, "verdict": "no record", "why": "the job is a here-document that the script submits"}]
    lists = [(list(getattr(arguments, "argument", ())), None)]
    if variant:
        lists = [(list(variant.given), len(variant.given))]
    elif getattr(arguments, "arguments", False):
        lists = [(words, len(words)) for words in given.chosen(script.blob, arguments.seed, nodes > 1 or arguments.arguments == "all")]
    return [called(muster, script, dict(case), imported, folder, words, number, arguments) for words, number in lists]


def source_of(script, variant):
    """The script that is imported, which may be one of another batch system."""
    if not variant or not variant.source:
        return script
    path = script.file.with_suffix(f".{variant.ending}")
    path.write_text(variant.source)
    return dataclasses.replace(script, file=path)


def unfit(text, nodes, tasks):
    """Why a script cannot run in a world, or None."""
    if nodes > rooms.MOST_NODES or tasks > rooms.MOST_TASKS:
        return "larger than the fleet"
    if choose.array_ids(text) is None:
        return "an array that is not read"
    if any(line.split()[:2] == ["#SBATCH", "hetjob"] or "packjob" in line for line in directives.head(text)):
        return "heterogeneous"
    shell = re.match(r"#!\s*(/usr/local/bin/|/usr/bin/|/bin/)?(env\s+(\S*/)?)?(ba|da|k)?sh(\s|$)", text)
    return None if shell else "another interpreter"


def called(muster, script, case, imported, folder, words, number, arguments):
    """One submission with these arguments. `number`: how many of them, where a script is run with several lists of them."""
    text, key = case["text"], script.blob if number is None else f"{script.blob}~{number}"
    own, values = lib.arguments(case["report"])  # of a script that has parameters: its workload has them as values
    if number is not None or words:
        words, values = given.options(case["report"], words)
    else:
        words = own
    round_ = imported if imported.failed else muster.compiled(imported.report, folder, values, folder if number is None else folder / f"given-{number}")
    case["reason_stands"] = refusal.reason_stands(case["report"])
    case |= {"blob": key, "arguments": words, "values": values, "grade": case["report"].get("grade", "wrapped" if round_.file else "none")}
    if round_.failed:
        case["failed"] = f"{round_.failed}: {round_.said[:400]}".replace(f"{folder}/", "")
        case["stands"] = refusal.named_in_line(round_.said)
    result = round_.file
    if result and script.blob in muster.edits:
        result.write_text(muster.edits[script.blob](result.read_text()))
    result_text = result.read_bytes().decode("utf-8", "surrogateescape") if result else ""
    case["axes"] = axes_of(folder, case["report"].get("written"))
    if arguments.keep:
        shutil.copytree(folder, arguments.keep / script.blob, dirs_exist_ok=True) if folder.exists() else None
    (options, count), (result_options, result_count) = array(text), array(result_text)
    case["arrays"] = (count, result_count)
    chdir = dict(directives.options(text)).get("chdir", "") or next((line.split("=", 1)[-1].split()[-1] for line in directives.head(text)
                                                                    if line.startswith(("#SBATCH --chdir", "#SBATCH -D", "#SBATCH --workdir"))), "")
    case["texts"] = [text, result_text] if result else [text]
    positions = choose.some(choose.array_ids(text))
    case["item"] = rooms.item(key, script.file, result, options, result_options, len(positions) or 1, text, chdir.strip("\"'"),
                              arguments.failing is True or arguments.failing and script.blob in arguments.failing, words, [] if case["report"].get("parameters") else words)
    case["item"]["asked"] = [name for line in case["report"].get("statements", []) if line["fate"] == "question" and line["as"].startswith("secret ") for name in line.get("names", [])]
    variant = muster.variants.get(script.blob)
    case["item"]["elsewhere"] = bool(variant and variant.elsewhere)
    if (variant.pods if variant else getattr(arguments, "pods", None)) and result:
        case["item"]["pods"] = on_pods(muster, case, folder, positions, arguments)
    return case


def well_named(script, folder):
    """A corpus names its files by digests; a job has no such name, and a pod cannot have one."""
    if not script.file.stem[:1].isdigit():
        return script
    folder.mkdir(exist_ok=True)
    copy = folder / f"s{script.file.stem[:20]}{script.file.suffix}"
    shutil.copy(script.file, copy)
    return dataclasses.replace(script, file=copy)


def axes_of(folder, workload):
    """The axes of the workload's sweep."""
    path = folder / workload if workload else None
    text = path.read_text(encoding="utf-8", errors="replace") if path and path.is_file() else ""
    block = re.search(r"\baxes\s*\{(.*?)\}", text, re.S)
    return [name.replace("-", "_") for name in (re.findall(r"([A-Za-z_][\w-]*)\s*=", block[1]) if block else [])]


def on_pods(muster, case, folder, positions, arguments):
    """What the pods of the same workload run, or None, with the reason in case["pods_refused"]."""
    own = None if arguments.pods is True else pathlib.Path(arguments.pods).resolve()
    path, said = pods_side.manifest(muster, folder / case["report"]["written"], folder / f"pods-{len(case['arguments'])}", case["values"], own)
    case["asked"], case["pods_said"] = pods_side.asked(path) if path else (), said.splitlines()
    if not path:
        case["pods_stands"] = refusal.named_in_line(said)
        case["pods_refused"] = re.sub(r"^\S+:\d+:\d+: ", "", next((line for line in said.splitlines() if "error" in line), said))[:200]
        return None
    return pods_side.runs(path, positions, case["arrays"][0])


def array(text):
    """(options that make the array small, how many tasks it has)."""
    ids = choose.array_ids(text) or []
    return ([f"--array={','.join(str(ids[i]) for i in choose.some(ids))}"] if ids else []), len(ids)


# ---- verdicts --------------------------------------------------------------------------------------

def doubtful(result):
    return result["verdict"] in ("deleted", "silent", "broken") or any(not each["named"] for each in result.get("pods_differences", []))


def by_chance(before, others, case):
    """What differs between runs of the original alone."""
    return {(each["what"], each["name"]) for other in others if other and "log" in other for each in compare.differences(before, other, case["text"], case["axes"])}


def nearest(before, others, after, case):
    """What differs from that run of the original which the result is most alike: a program in the background may begin too late in one of them."""
    late = [other for other in others if other and "log" in other] if runs.IN_BACKGROUND.search(case["text"]) else []
    return min((compare.differences(run, after, case["text"], case["axes"]) for run in (before, *late)), key=len)


def judged(case, seen, arguments, others=()):
    if arguments.keep:
        (arguments.keep / f"{case['blob']}.records").write_text(ascii(seen))
    before, after = seen.get("before", {}), seen.get("after", {})
    if "broken" in seen:
        return {**case, "verdict": "broken", "why": seen["broken"]}
    if "refused" in before:
        return {**case, "verdict": "no record", "why": f"Slurm refuses the original: {before['refused']}"}
    if before["unended"]:
        return {**case, "verdict": "no record", "why": f"the original does not end: {before['unended']}"}
    if "Slurmd could not connect IO" in before["errors"]:
        return {**case, "verdict": "no record", "why": "this Slurm has no terminal for an unbuffered step"}
    if "failed" in case:
        return {**case, "verdict": "not imported", "why": case["failed"]}
    if "refused" in after:
        return {**case, "verdict": "silent", "why": "", "differences": [{"what": "refused", "name": "", "before": "accepted", "after": after["refused"], "named": False}]}
    chance = by_chance(before, others, case) if case["grade"] == "wrapped" else set()  # the text is the original's own
    found = [each for each in nearest(before, others, after, case) if (each["what"], each["name"]) not in chance]
    if case["arrays"][0] != case["arrays"][1]:
        found.insert(0, compare.difference("array", "array", str(case["arrays"][0]), str(case["arrays"][1])))
    if "before_failing" in seen:
        found += [{**each, "what": each["what"], "when": "programs fail"} for each in compare.differences(seen["before_failing"], seen["after_failing"], case["text"], case["axes"])
                  if each not in found]
    for each in found:
        each["named"] = named.is_named(each, case["report"], given=case.get("arguments") or ())
    if "pods" in seen:
        told = {"report": case["report"], "compile": [{"fate": "approximated", "text": line} for line in case["pods_said"]]}
        case["pods_differences"] = [{**each, "named": named.is_named(each, told, named.ELSEWHERE)} for each in compare.on_pods(before, seen["pods"], case["axes"])]
    leaves = sum(record["k"] != "noise" for record in before["log"])
    verdict = compare.verdict(found)
    verdict = "no record" if verdict == "equal" and not leaves else verdict
    why = "the original starts no program" if verdict == "no record" else ""
    return {**case, "verdict": verdict, "why": why, "processes": leaves, "differences": found, "errors": [before["errors"][-600:], after["errors"][-600:]]}


KEPT = ("blob", "origin", "nodes", "arguments", "grade", "verdict", "why", "processes", "differences", "errors", "pods_refused", "pods_differences", "stands", "pods_stands", "reason_stands", "asked")


def written(arguments, case):
    result = {name: case[name] for name in KEPT if name in case}
    if arguments.out:
        with arguments.out.open("a", encoding="utf-8") as out:
            out.write(json.dumps(result) + "\n")
    return result


def read(path, wanted):
    if not path or not path.exists():
        return []
    return [result for result in map(json.loads, path.open()) if result["blob"].partition("~")[0] in wanted]

"""Run references: on every target each word `NAME=${…}` has the value that the program finds as NAME, and the words are
the same where no such variable is set (`contract = auto`)."""
import re

from . import contract, lib, manifests, pods

SPECS = lib.HERE / "specs" / "references"
SITES = lib.HERE / "specs" / "contract" / "sites"
ARRAY = {"SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "4"}


def without_names(text):
    """As `contract = auto` has it: the words name no variable of the contract, so that none is set for their sake."""
    return re.sub(r"contract *= *full", "contract = auto", text).replace('"MUSTER_', '"')


def anonymous(words):
    """Without names of the contract and what names the run: the digest of its text, folders of the judge."""
    plain = (re.sub(r"/[^: ]*/(full|auto)\b", "DIR", re.sub(r"=/[^: ]*/root\d/", "=/", re.sub(r"(TMP=.*/\d+\.)\w{6}$", r"\1XXXXXX", word))) for word in words)
    return tuple(re.sub(r"-[0-9a-f]{8}\b", "-ID", word).removeprefix("MUSTER_") for word in plain)


def wrong_words(record):
    """The words that differ from the variable that they name."""
    given = [word.partition("=") for word in record["argv"]]
    return [(name, value, record["env"].get(name)) for name, equals, value in given if equals and not name.startswith("--") and value.strip("$") != record["env"].get(name, "")]


def on_pods(shop, machine, spec, target, folder):
    done = shop.ask("compile", spec, "--site", SITES / "pods.muster", "--root", spec.parent, "--target", target, "-o", folder / "out")
    if done.returncode:
        return None, lib.says(done)
    found = contract.on_pods(machine, pods.read(next((folder / "out").glob("*.yaml"))))
    return [record for records, _ in found for record in records], [lib.says(ended) for _, ended in found]


def records_of(shop, machine, spec, target, folder):
    if target == "slurm":
        nodes = int((re.findall(r"nodes *= *(\d+)", spec.read_text()) or ["1"])[0])
        return contract.on_slurm(shop, machine, spec, nodes, folder, ARRAY.items() if "sweep " in spec.read_text() else ())
    return on_pods(shop, machine, spec, target, folder)


def judge_target(report, shop, machine, spec, target):
    label, words = f"references {spec.stem} {target}", {}
    for kind in ("full", "auto"):
        folder = shop.place(f"references/{spec.stem}-{target}/{kind}")
        text = spec.read_text()
        (folder / spec.name).write_text(text if kind == "full" else without_names(text))
        found, said = records_of(shop, machine, folder / spec.name, target, folder)
        if found is None:
            return report.check(f"{label} is compiled, or refused", "E070" in said or "E0713" in said, said)
        if not report.check(f"{label} {kind} starts its program", found, said):
            return None
        words[kind] = sorted(anonymous(record["argv"]) for record in found)
        if kind == "full":
            wrong = [fault for record in found for fault in wrong_words(record)]
            report.check(f"{label} words", not wrong, f"(name, word, variable): {wrong}")
    report.equal(f"{label} without the variables", words["auto"], words["full"])
    return True


def judge(report, shop):
    try:
        import yaml  # noqa: F401
    except ImportError:
        return report.skip("python3-yaml", "references", "python3-yaml is not installed")
    machine = pods.Machine(shop.place("references/machine"))
    for spec in sorted(SPECS.glob("*.muster")):
        targets = ["slurm", *manifests.targets(shop)]
        ran = [target for target in targets if judge_target(report, shop, machine, spec, target)]
        report.check(f"references {spec.stem} on several targets", len(ran) > 1, ran)
    return None

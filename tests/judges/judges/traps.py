"""Traps of production clusters: no file that muster writes, and no shipped example, has one of them.

`tests/traps/traps.tsv` lists them: a name, what goes wrong, a source that can be opened, the lint rule that finds it
in files that people wrote, `-` where the file alone does not show it, and the sandbox where both files run, or the reason why
none can show it. Each has a broken file in `tests/traps/broken`: its check must find it, and of the rules of all
traps `muster lint` must report its own and no other."""
import importlib
import json
import sys

import yaml

from . import cases, lib, manifests

FOLDER = lib.CHECKOUT / "tests" / "traps"
# Where broken files fail and ours work: the table of each sandbox.
SANDBOXES = {"slurm": "judges.trap_runs", "container": "judges.trap_containers", "cluster": "cluster.traps"}


def traps():
    """Name, what goes wrong, source, lint rule, sandbox."""
    lines = (FOLDER / "traps.tsv").read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def checks():
    """By name of the trap: what finds it in a script, and what finds it in a stream of objects."""
    out = {}
    for module in ("trap_scripts", "trap_pods"):
        found = importlib.import_module(f"judges.{module}")
        for name, check in found.CHECKS.items():
            out[name] = (module == "trap_scripts", check)
    return out


def read(path):
    """The text of a script; the objects of a manifest."""
    text = path.read_text()
    if path.suffix == ".sbatch":
        return text
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return [found for found in yaml.load_all(text, loader) if isinstance(found, dict)]


def scripts(report, shop):
    bench = cases.Bench(shop, "traps")
    for case in [*cases.all_cases(), *cases.public_cases()]:
        bench.version = "24.11" if case.site == "block" else "22.05"
        path = bench.compile(report, case)
        if path and path.stem != "batch-script":  # its steps are the user's own
            yield path


def linted(shop, path, rules):
    """Which of the rules `muster lint` reports in a file; in profile strict, and with those in preview."""
    found = lib.run([shop.muster, "lint", path, "--profile", "strict", "--select", ",".join(rules), "--exit-zero", "-v", "-o", "json"])
    return sorted({finding["rule"] for finding in json.loads(found.stdout)["findings"]})


def shown(report, listed):
    """Each trap runs where its row says so, or the row has a reason."""
    sys.path.append(str(lib.CHECKOUT / "tests" / "cluster"))
    for sandbox, module in SANDBOXES.items():
        rows = sorted(name for name, *_, place in listed if place == sandbox)
        report.equal(f"{len(rows)} traps are shown in a sandbox: {sandbox}", sorted(importlib.import_module(module).TRAPS), rows)
    silent = [name for name, *_, place in listed if place not in SANDBOXES and not place.startswith("-: ")]
    report.check("each other trap has the reason why none can show it", not silent, silent)


def judge(report, shop):
    listed, known = traps(), checks()
    names = [name for name, *_ in listed]
    rules = [rule for *_, rule, _ in listed if rule != "-"]
    report.equal("each trap of the list has a check, and each check a row", sorted(names), sorted(known))
    report.check(f"{len(names)} traps, each with a source", len(names) >= 25 and all(source.startswith("https://") for _, _, source, *_ in listed))
    report.equal("each trap has a rule of its own", len(set(rules)), len(rules))
    shown(report, listed)
    files = {True: [(path.name, read(path)) for path in scripts(report, shop)],
             False: [(m.label, read(m.path)) for m in manifests.emitted(report, shop)]}
    for name, what, _, rule, _ in listed:
        is_script, check = known[name]
        broken = sorted((FOLDER / "broken").glob(f"{name}.*"))
        report.check(f"{name}: its broken file has it", broken and all(check(read(path)) for path in broken), broken)
        for path in broken if rule != "-" else ():
            report.equal(f"{name}: lint reports {rule} alone", linted(shop, path, rules), [rule])
        caught = [(label, found) for label, content in files[is_script] if (found := check(content))]
        report.check(f"{name}: {what}: none of {len(files[is_script])} files", not caught and files[is_script], caught[:5])

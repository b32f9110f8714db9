"""Muster files as JSON and YAML, against the JSON Schema of ours and the readers that people use."""
import json

from . import lib

FILES = ("examples", "rules/profiles", "tests/kitchen", "tests/judges/specs")
SCHEMAS = lib.CHECKOUT / "docs" / "schemas"
SCHEMA = SCHEMAS / "muster.json"
LAYERS = "tests/golden/cases/rules-layers"
WHY = "tests/golden/cases/why"
REVIEW = "tests/golden/cases/review"
SITES = "tests/golden/cases/decide-sites"
FACTS = ("--fact", "nodes=4", "--fact", "tightly-coupled=true", "--fact", "multi-tenant=true")
# What muster prints as JSON: the schema, the arguments, the exit code.
PRINTED = (
    ("test.json", ("test", "examples/lib/fsdp.tests.muster"), 0),
    ("test.json", ("test", "tests/golden/cases/tests/job.muster"), 1),
    ("library.json", ("explain", "examples/lib/fsdp.muster"), 0),
    ("library.json", ("explain", "examples/sites/hybrid.muster"), 0),
    ("rules-verify.json", ("rules", "verify"), 0),
    ("rules-verify.json", ("rules", "verify", "seed"), 0),
    ("rules-verify.json", ("rules", "verify", f"{LAYERS}/broken.muster"), 1),
    ("rules-test.json", ("rules", "test", "greenfield", "--coverage"), 0),
    ("rules-test.json", ("rules", "test", f"{LAYERS}/broken.muster"), 1),
    ("rules-show.json", ("rules", "show", f"{LAYERS}/policy.muster"), 0),
    ("rules-show.json", ("rules", "show", "--effective"), 0),
    ("rules-table.json", ("rules", "table", "seed"), 0),
    ("rules-table.json", ("rules", "table", f"{LAYERS}/policy.muster"), 0),
    ("rules-diff.json", ("rules", "diff", "greenfield", "default"), 0),
    ("rules-diff.json", ("rules", "diff", f"{LAYERS}/policy.muster", f"{LAYERS}/wrong.muster"), 1),
    ("decide.json", ("decide", *FACTS), 0),
    ("decide.json", ("decide", *FACTS, "--why-not", "slurm", "--flip"), 0),
    ("decide.json", ("decide", "examples/workloads/pretrain.muster", "--site", "examples/sites/slurm.muster"), 0),
    ("decide.json", ("decide", f"{SITES}/pretrain.muster", "--site", f"{SITES}/small.muster", "--site",
                     f"{SITES}/large.muster"), 0),
    ("decide.json", ("decide", f"{SITES}/pretrain.muster", "--site", f"{SITES}/small.muster", "--site",
                     f"{SITES}/large.muster", "--why", "--flip", "--why-not", "kubernetes"), 0),
    ("fit.json", ("fit", "examples/workloads/mpi.muster", "--site", "examples/sites/slurm.muster"), 0),
    ("fit.json", ("fit", f"{SITES}/pretrain.muster", "--site", f"{SITES}/small.muster"), 1),
    ("fit.json", ("fit", f"{SITES}/pretrain.muster", "--site", f"{SITES}/small.muster", "--site", f"{SITES}/large.muster"), 0),
    ("why.json", ("why", f"{WHY}/queue.txt", f"{WHY}/job.txt", f"{WHY}/nodes.txt", "--job", f"{WHY}/train.sbatch", "--site", f"{WHY}/site.muster"), 0),
    ("why.json", ("why", f"{WHY}/queue.txt"), 1),
    ("reliability.json", ("reliability", "examples/workloads/pretrain.muster", "--site", "examples/sites/slurm.muster",
                          "--repair", "24h"), 0),
    ("review.json", ("review", f"{REVIEW}/base", f"{REVIEW}/head", "-q"), 2),
    ("review.json", ("review", f"{REVIEW}/base", f"{REVIEW}/base"), 0),
    ("review.json", ("review", f"{REVIEW}-moved/base", f"{REVIEW}-moved/head"), 0),
    ("review.json", ("review", f"{REVIEW}-manifests/base", f"{REVIEW}-manifests/head", "--site", f"{REVIEW}-manifests/site.muster"), 0),
    ("review.json", ("review", f"{REVIEW}-own-site/base", f"{REVIEW}-own-site/head"), 0),
    ("review.json", ("review", f"{REVIEW}-policy/base", f"{REVIEW}-policy/head", "--fail-on", "blocked"), 1),
    ("review.json", ("review", f"{REVIEW}/base", f"{REVIEW}-policy/head", "--site", "examples/sites/hybrid.muster", "--site",
                     "examples/sites/kubernetes.muster"), 0),
    ("review.json", ("review", f"{REVIEW}-policy/base", f"{REVIEW}-policy/head", "--policy-from", f"{REVIEW}-policy/base"), 0),
    ("review.json", ("review", f"{REVIEW}-allowed/base", f"{REVIEW}-allowed/head", "--policy-from", f"{REVIEW}-allowed/base", "--fail-on", "allowed"), 1),
    ("review.json", ("review", "examples/review/base", "examples/review/head", "--site", "examples/review/lab.muster"), 0),
)


def leaves(error):
    """The innermost reasons of an error: those that a person can act on."""
    return [leaf for inner in error.context for leaf in leaves(inner)] if error.context else [error]


def by_schema(report, label, document, file=SCHEMA):
    import jsonschema

    schema = json.loads(file.read_text())
    validator = jsonschema.Draft202012Validator(schema)
    found = [leaf for error in validator.iter_errors(document) for leaf in leaves(error)]
    reasons = [f"{'/'.join(map(str, leaf.absolute_path))}: {leaf.message}" for leaf in found]
    return report.check(f"{label} follows {file.name}", not found, "; ".join(reasons[:8]))


def plain(value):
    """What YAML and JSON readers may differ in without harm: 1e-4 is a text to YAML 1.1."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    try:
        return float(value) if not isinstance(value, bool) else value
    except (TypeError, ValueError):
        return value


def judged(report, shop, path, label):
    """One file in both forms; returns its JSON."""
    printed = {}
    for form in ("json", "yaml"):
        asked = lib.run([shop.muster, "fmt", "--quiet", "--to", form, path])
        if not report.check(f"{label} is written as {form}", asked.returncode == 0, lib.says(asked)):
            return None
        printed[form] = asked.stdout
    document = json.loads(printed["json"])
    try:
        import yaml
        report.check(f"{label} says the same as YAML", plain(yaml.safe_load(printed["yaml"])) == plain(document))
    except ImportError:
        report.skip("python3-yaml", f"{label} as YAML", "python3-yaml is not installed")
    return document


def printed(report, shop):
    """What verbs print as JSON follows its schema."""
    for name, words, code in PRINTED:
        asked = lib.run([shop.muster, *words, "--format", "json"], cwd=lib.CHECKOUT)
        label = f"muster {' '.join(words)}"
        if report.check(f"{label} ends with {code}", asked.returncode == code, lib.says(asked)):
            by_schema(report, label, json.loads(asked.stdout), SCHEMAS / name)
    for path in lib.broken_files("printed", ".json"):
        bare = json.loads(path.read_text().split("\n", 1)[1])
        schema = SCHEMAS / (path.name.split(".")[0] + ".json")
        lib.must_reject(report, path, lambda inner, bare=bare, path=path, schema=schema: by_schema(inner, path.name, bare, schema))


def judge(report, shop):
    try:
        import jsonschema
    except ImportError:
        return report.skip("python3-jsonschema", "documents", "python3-jsonschema is not installed")
    for schema in sorted(SCHEMAS.glob("*.json")):
        jsonschema.Draft202012Validator.check_schema(json.loads(schema.read_text()))
    printed(report, shop)
    files = [path for folder in FILES for path in sorted((lib.CHECKOUT / folder).rglob("*.muster"))]
    report.check(f"{len(files)} muster files are there", len(files) > 20)
    for path in files:
        label = str(path.relative_to(lib.CHECKOUT))
        document = judged(report, shop, path, label)
        if document is not None:
            by_schema(report, label, document)
    for path in lib.broken_files("documents", ".json"):
        bare = json.loads(path.read_text().split("\n", 1)[1])
        lib.must_reject(report, path, lambda inner, bare=bare, path=path: by_schema(inner, path.name, bare))
    return None

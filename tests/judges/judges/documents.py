"""Muster files as JSON and YAML, against the JSON Schema of ours and the readers that people use."""
import json

from . import lib

FILES = ("examples", "rules/profiles", "tests/kitchen", "tests/judges/specs")
SCHEMA = lib.CHECKOUT / "docs" / "schemas" / "muster.json"


def leaves(error):
    """The innermost reasons of an error: those that a person can act on."""
    return [leaf for inner in error.context for leaf in leaves(inner)] if error.context else [error]


def by_schema(report, label, document):
    import jsonschema

    schema = json.loads(SCHEMA.read_text())
    validator = jsonschema.Draft202012Validator(schema)
    found = [leaf for error in validator.iter_errors(document) for leaf in leaves(error)]
    reasons = [f"{'/'.join(map(str, leaf.absolute_path))}: {leaf.message}" for leaf in found]
    return report.check(f"{label} follows {SCHEMA.name}", not found, "; ".join(reasons[:8]))


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


def judge(report, shop):
    try:
        import jsonschema
    except ImportError:
        return report.skip("python3-jsonschema", "documents", "python3-jsonschema is not installed")
    jsonschema.Draft202012Validator.check_schema(json.loads(SCHEMA.read_text()))
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

"""The reports of `muster lint`, against the schemas of those who read them."""
import json
import os
import pathlib
import shutil

from . import lib

FIXTURES = (lib.CHECKOUT / "tests" / "golden" / "cases", lib.CHECKOUT / "tests" / "lint", lib.CHECKOUT / "examples")
SCHEMAS = {
    "sarif": "sarif-2.1.0-errata01.schema.json",
    "gitlab": "gitlab-code-quality.schema.json",
    "junit": ("junit-10.xsd", "junit-windyroad.xsd"),
}


def schema_folder():
    shared = pathlib.Path(os.environ.get("MUSTER_SHARED") or lib.CHECKOUT.parent / "shared").resolve()
    folder = shared / "schemas" / "review"
    return folder if folder.is_dir() else None


def by_schema(report, label, text, schema_file):
    """Whether a JSON text follows a schema, by the draft that the schema names."""
    import jsonschema

    schema = json.loads(schema_file.read_text())
    validator = jsonschema.validators.validator_for(schema)(schema)
    try:
        document = json.loads(text)
    except ValueError as error:
        return report.check(f"{label} is JSON", False, error)
    errors = [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in validator.iter_errors(document)]
    return report.check(f"{label} follows {schema_file.name}", not errors, "; ".join(errors[:3]))


def sarif_refers_to_what_is_there(report, label, text):
    """What no schema says: indices, and places within GitHub's limits."""
    for run in json.loads(text).get("runs", []):
        rules = run["tool"]["driver"].get("rules", [])
        results = run.get("results", [])
        wrong = [r["ruleId"] for r in results if not 0 <= r["ruleIndex"] < len(rules) or rules[r["ruleIndex"]]["id"] != r["ruleId"]]
        report.check(f"{label} names its rules", not wrong, wrong[:3])
        prints = [r["partialFingerprints"]["musterKey/v1"] for r in results]
        report.check(f"{label} has a fingerprint of its own for each of {len(prints)} results", len(prints) == len(set(prints)))
        long = [r["ruleId"] for r in results if len(r["message"]["text"].encode()) > 5000]
        report.check(f"{label} has no text over GitHub's limit", not long and len(results) <= 25000, long)


def judged(report, label, kind, path, schemas):
    text = path.read_text(errors="surrogateescape")
    if kind == "json":
        by_schema(report, label, text, lib.CHECKOUT / "docs" / "schemas" / "lint.json")
    elif kind in ("sarif", "gitlab"):
        if by_schema(report, label, text, schemas / SCHEMAS[kind]) and kind == "sarif":
            sarif_refers_to_what_is_there(report, label, text)
    else:
        for schema in SCHEMAS["junit"]:
            checked = lib.run(["xmllint", "--noout", "--nonet", "--schema", schemas / schema, path])
            report.check(f"{label} follows {schema}", checked.returncode == 0, lib.says(checked))


def judge(report, shop):
    schemas = schema_folder()
    if schemas is None:
        return report.skip("schemas", "reports", "MUSTER_SHARED has no schemas/review")
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        return report.skip("python3-jsonschema", "reports", "python3-jsonschema is not installed")
    kinds = ["json", "sarif", "gitlab"]
    if shutil.which("xmllint"):
        kinds.append("junit")
    else:
        report.skip("xmllint", "reports junit", "xmllint is not installed")
    folder = shop.place("reports")
    inputs = [path for path in FIXTURES if path.exists()]
    outputs = [word for kind in kinds for word in ("-o", f"{kind}={folder / kind}")]
    asked = lib.run([shop.muster, "lint", *inputs, "--preview", "--exit-zero", *outputs], cwd=lib.CHECKOUT)
    report.check("muster lint writes its reports", all((folder / kind).exists() for kind in kinds), lib.says(asked))
    for kind in kinds:
        judged(report, kind, kind, folder / kind, schemas)
    for path in lib.broken_files("reports", ""):
        kind = path.suffix[1:]
        if kind not in kinds:
            continue
        bare = folder / f"broken-{path.name}"  # none of these formats has a comment for the first line
        bare.write_text(path.read_text().split("\n", 1)[1])
        lib.must_reject(report, path, lambda inner, bare=bare, kind=kind: judged(inner, bare.name, kind, bare, schemas))
    return None

"""Somebody's repository, and a composite action run in it: its `run` steps, its outputs, what it uploads."""
import os
import re

from . import lib

INPUT = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")
SUFFIX = re.compile(r"\$\{\{ inputs\.([a-z-]+) && format\('-\{0\}', inputs\.([a-z-]+)\) \}\}")
CONDITION = re.compile(r"inputs\.([a-z-]+) (==|!=) '([^']*)'")
OUTPUT = re.compile(r"\$\{\{ steps\.([a-z-]+)\.outputs\.([a-z-]+) \}\}")


def git(folder, *words):
    done = lib.run(["git", "-c", "user.name=m", "-c", "user.email=m@example.com", "-c", "init.defaultBranch=main", *words], cwd=folder)
    if done.returncode != 0:
        raise RuntimeError(lib.says(done))
    return done.stdout.strip()


def read(action, inputs):
    """The document of an action, and its inputs with what is given in place of the defaults."""
    import yaml

    document = yaml.safe_load(action.read_text())
    values = {name: str(entry.get("default", "")) for name, entry in document["inputs"].items()}
    unknown = set(inputs) - set(values)
    if unknown:
        raise RuntimeError(f"{action} has no input {unknown}")
    return document, {**values, **inputs}


def filled(text, values):
    """The expressions that our actions use, and no others."""
    text = SUFFIX.sub(lambda m: f"-{values[m[2]]}" if values[m[1]] else "", str(text))
    return INPUT.sub(lambda m: values[m[1]], text)


def holds(condition, values):
    """The conditions that our actions use: comparisons of inputs, joined by `&&`."""
    for part in condition.split(" && "):
        found = CONDITION.fullmatch(part)
        if not found:
            raise RuntimeError(f"a condition that is not understood: {condition}")
        if (values[found[1]] == found[3]) != (found[2] == "=="):
            return False
    return True


def steps(action, inputs):
    """The `run` steps of a composite action whose condition holds, with their environment."""
    document, values = read(action, inputs)
    for step in document["runs"]["steps"]:
        if "run" in step and ("if" not in step or holds(step["if"], values)):
            yield step["run"], {name: filled(text, values) for name, text in step.get("env", {}).items()}


def run_action(action, inputs, folder, environment):
    """The exit code and the last step that ran: as on the host, a step that fails ends the action."""
    for text, env in steps(action, inputs):
        done = lib.run(["bash", "-e", "-o", "pipefail", "-c", text], timeout=120, cwd=folder, env={**os.environ, **env, "GITHUB_ACTION_PATH": str(action.parent), **environment})
        if done.returncode != 0:
            break
    return done.returncode, done


def outputs(action, inputs, written):
    """What the action hands to later steps, `written` being what its steps wrote to GITHUB_OUTPUT."""
    document, values = read(action, inputs)
    known = {step["id"] for step in document["runs"]["steps"] if "id" in step}
    lines = dict(line.split("=", 1) for line in written.splitlines())
    return {name: OUTPUT.sub(lambda m: lines.get(m[2], "") if m[1] in known else "", filled(entry["value"], values)) for name, entry in document["outputs"].items()}


def uploads(action, inputs):
    """Of the steps that upload an artifact: when, under which name, and which folder."""
    document, values = read(action, inputs)
    return [(step.get("if"), filled(step["with"]["name"], values), filled(step["with"]["path"], values)) for step in document["runs"]["steps"] if "upload-artifact" in step.get("uses", "")]

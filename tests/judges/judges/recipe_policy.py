"""A merge request that would switch its own check off: it brings a suppression, a waiver, a baseline or rules of its own
beside a wrong job. Both recipes take the policy of the base, so their jobs fail and say what was added; the base itself
is green. GitLab's job runs as its runner runs it: the lines of `script`, in bash, with the variables of the host."""
import json
import os
import shutil

from . import lib
from .actions import git, run_action
from .recipe_inputs import JOB, RULES, SITE, Left

CI = lib.CHECKOUT / "ci"
ACTION = lib.CHECKOUT / "action.yml"
GOOD, WRONG = JOB.format(tasks=1, processes=8), JOB.format(tasks=8, processes=8)
SPEC = 'workload a {{\n  kind = sweep\n  gpus = 1\n  time-limit = 1h\n  sweep {{ axes {{ lr = [1e-3, 1e-4]  seed = 1..3 }} }}\n  env {{ LR = $lr{} }}\n  command = ["./a"]\n{}}}\n'
SPEC_GOOD = SPEC.format("  SEED = $seed", "")
WITH_RULES = SITE.format("east").replace("  fleet = east\n", '  fleet = east\n  rules = "../policy/rules.muster"\n')
PLAIN_RULES = 'rules team {\n  version = "1.0.0"\n  extends = [default]\n}\n'
BASELINE = '{"schema": "muster.baseline/v1", "findings": []}\n'


def team(folder):
    """Jobs, a site with its rules, a policy, a baseline: all good and accepting nothing."""
    texts = {"jobs/train.sbatch": GOOD, "jobs/a.muster": SPEC_GOOD, "policy/rules.muster": PLAIN_RULES, "sites/east.muster": WITH_RULES, "ci/baseline.json": BASELINE}
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "good jobs")
    return folder


def above(comment):
    return WRONG.replace("#!/bin/bash\n", f"#!/bin/bash\n{comment}\n", 1)


# What a change brings, file by file; what the job says of it; the rule that must stay open.
ALLOWED = "# muster: allow SLM001 -- it is fine"
CHANGES = (
    ("a wrong job", {"jobs/train.sbatch": WRONG}, "", "SLM001"),
    ("a suppression above the file", {"jobs/train.sbatch": above(ALLOWED)}, "it is fine", "SLM001"),
    ("a suppression on the line", {"jobs/train.sbatch": WRONG.replace("srun torchrun", f"{ALLOWED}\nsrun torchrun")}, "it is fine", "SLM001"),
    ("a waiver in the policy", {"jobs/train.sbatch": WRONG, "policy/rules.muster": RULES}, "they move next year", "SLM001"),
    ("an allow in the site", {"jobs/train.sbatch": WRONG, "sites/east.muster": WITH_RULES.replace("  queue main", '  allow SLM001 { reason = "it is fine" }\n  queue main')}, "it is fine", "SLM001"),
    ("an allow in a spec", {"jobs/a.muster": SPEC.format("", '  allow SPC004 { reason = "it is fine" }\n')}, "it is fine", "SPC004"),
    ("an entry of the baseline", {"jobs/train.sbatch": WRONG, "ci/baseline.json": json.dumps({"schema": "muster.baseline/v1", "findings": ["SLM001|jobs/train.sbatch|job|torchrun|0"]})}, "1 baseline entry", "SLM001"),
)


# ---- the two recipes -------------------------------------------------------------------------------
class GitLab:
    """The template's `script` as a runner executes it: bash, one line after the other, the job's and the host's variables."""

    name = "GitLab"

    def __init__(self, shop):
        import yaml

        job = yaml.safe_load((CI / "gitlab" / "muster.yml").read_text())["muster"]
        self.script, self.defaults, self.shop = "\n".join(job["script"]), job["variables"], shop

    def run(self, folder, base, **variables):
        shutil.rmtree(folder / "muster-report", ignore_errors=True)
        host = {"CI": "true", "GITLAB_CI": "true", "CI_PIPELINE_SOURCE": "push", "CI_PROJECT_DIR": str(folder), "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_SHA": git(folder, "rev-parse", "HEAD")}
        if base:
            host |= {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_IID": "7", "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
                     "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "topic", "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
        env = {"PATH": f"{self.shop.folder}:/usr/bin:/bin", "HOME": str(self.shop.place("recipes/home")), "LANG": "C.UTF-8", **host, **self.defaults, **variables}
        done = lib.run(["bash", "-eo", "pipefail", "-c", self.script], cwd=folder, env=env, timeout=120)
        return done.returncode, lib.says(done), Left(folder / "muster-report")

    @staticmethod
    def found(left):
        return {finding["check_name"].split()[0] for finding in json.loads(left.text("quality.json") or "[]")}


class GitHub:
    """The action's steps with the events of the host."""

    name = "GitHub"

    def __init__(self, shop):
        self.shop, self.at = shop, 0

    def run(self, folder, base, **variables):
        self.at += 1
        place = self.shop.place(f"recipes/policy/{self.at}")
        inputs = {name.removeprefix("MUSTER_").lower().replace("_", "-"): text for name, text in variables.items()}
        inputs = {"muster": str(self.shop.muster), "report": str(place / "report"), "base": base, **inputs}
        event = {"GITHUB_EVENT_NAME": "pull_request" if base else "push", "GITHUB_STEP_SUMMARY": str(place / "summary"), "GITHUB_OUTPUT": str(place / "output")}
        code, done = run_action(ACTION, inputs, folder, event)
        return code, lib.says(done), Left(place / "report")

    @staticmethod
    def found(left):
        return left.found()


def judge_host(report, host, folder):
    base = git(folder, "rev-parse", "main")
    words = {"MUSTER_PATHS": "jobs", "MUSTER_SITE": "sites/east.muster", "MUSTER_POLICY": "policy", "MUSTER_LINT_OPTIONS": "--baseline=ci/baseline.json", "MUSTER_FAIL_LEVEL": "warning"}
    git(folder, "checkout", "-q", "--detach", base)
    code, says, left = host.run(folder, base, **words)
    report.check(f"{host.name}: the base, beside itself, is green", code == 0 and not host.found(left), f"{code} {says[-600:]}")
    code, says, left = host.run(folder, "", **words)
    report.check(f"{host.name}: so is a push of it", code == 0 and not host.found(left), f"{code} {says[-600:]}")
    for what, files, reason, rule in CHANGES:
        git(folder, "checkout", "-q", "--detach", base)
        for name, text in files.items():
            (folder / name).write_text(text)
        git(folder, "commit", "-qam", what)
        code, says, left = host.run(folder, base, **words)
        seen = says + left.text("comment.md") + left.text("lint.md")
        report.check(f"{host.name}: {what} does not switch the check off", code == 1 and rule in host.found(left) and reason in seen, f"{code} {host.found(left)} {seen[-900:]}")
        code, says, left = host.run(folder, base, **{**words, "MUSTER_FAIL_LEVEL": "never", "MUSTER_FAIL_ON": "allowed"})
        fails = what not in ("a wrong job", "an entry of the baseline")  # which is for lint alone, and only reported
        report.check(f"{host.name}: {what}: `allowed` fails {'for it' if fails else 'for nothing'}", code == int(fails), f"{code} {says[-600:]}")
        if what != "a wrong job":
            code, says, left = host.run(folder, base, **{**words, "MUSTER_POLICY_FROM": "none"})
            report.check(f"{host.name}: {what}: with `none` the files decide", rule not in host.found(left), f"{code} {host.found(left)} {says[-600:]}")


def judge(report, shop):
    for host in (GitLab(shop), GitHub(shop)):
        judge_host(report, host, team(shop.folder / "recipes" / f"policy-{host.name.lower()}"))

"""What each input of the action and each variable of the GitLab template changes: each is seen in what the job leaves."""
import json
import os
import re
import shutil

from . import lib
from .actions import git, outputs, run_action, uploads
from .review_host import Host, Served

CI = lib.CHECKOUT / "ci"
ACTION = lib.CHECKOUT / "action.yml"
JOB = """#!/bin/bash
#SBATCH --partition=east
#SBATCH --nodes=2
#SBATCH --ntasks-per-node={tasks}
#SBATCH --gpus-per-node=8
#SBATCH --time=1:00:00
srun torchrun --nnodes=2 --nproc_per_node={processes} t.py
"""
SITE = """fleet {0} {{
  pool g {{ nodes = "{0}[1-8]"  gpu {{ model = h100  memory = 80GB  count = 8 }}  node {{ cpus = 64  memory = 1TB }} }}
}}
site {0} {{
  fleet = {0}
  plane batch {{ kind = slurm  version = "24.05" }}
  queue main {{ name = "{0}"  default = true }}
}}
"""
RULES = """rules team {
  version = "1.0.0"
  extends = [default]
  waive double-launch {
    subject = "jobs/*.sbatch"
    reason  = "they move next year"
    owner   = "platform"
    expires = "2099-12-31"
  }
}
"""


def team(folder):
    """A repository of a team: two sites, a policy that waives SLM001, a script that only warns (SLM002) in a folder with a
    blank and beside it, and a job that the last commit spoils. The partition is one of `east` alone (SLM017)."""
    warns = JOB.format(tasks=1, processes=4)
    texts = {"jobs/train.sbatch": JOB.format(tasks=1, processes=8), "some jobs/few.sbatch": warns, "-few.sbatch": warns, "policy/rules.muster": RULES,
             "sites/east.muster": SITE.format("east"), "sites/west.muster": SITE.format("west")}
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a job")
    (folder / "jobs" / "train.sbatch").write_text(JOB.format(tasks=8, processes=8))
    git(folder, "commit", "-qam", "more tasks")
    return folder


class Left:
    """What a job left in its folder of reports."""

    def __init__(self, folder):
        self.folder = folder

    def text(self, name):
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    def json(self, name):
        return json.loads(self.text(name) or "{}")

    def findings(self):
        """What lint holds for wrong, but for what is accepted or cannot be told."""
        return [finding for finding in self.json("lint.json").get("findings", []) if (finding["verdict"], finding["state"]) == ("wrong", "open")]

    def found(self):
        return {finding["rule"] for finding in self.findings()}

    def files(self):
        return {finding["at"]["file"] for finding in self.findings()}

    def workloads(self):
        return self.json("review.json").get("workloads", [])

    def sites(self):
        return sorted(workload["site"] or "" for workload in self.workloads())

    def new(self):
        """Of each workload the rules that it newly breaks."""
        return [sorted(finding["code"] for finding in workload["findings"]["new"]) for workload in self.workloads()]

    def key(self):
        return self.text("comment.md").partition("key=")[2].partition(" ")[0]


class Job:
    """The action in a repository, with the inputs that are given and the defaults."""

    def __init__(self, shop, folder):
        self.shop, self.folder, self.at = shop, folder, 0

    def run(self, **inputs):
        self.at += 1
        inputs = {name.replace("_", "-"): text for name, text in inputs.items()}
        inputs = {"muster": str(self.shop.muster), "report": f"reports/{self.at}", **inputs}
        place = self.shop.place(f"recipes/inputs/{self.at}")
        (place / "summary").write_text("before\n")
        self.code, self.done = run_action(ACTION, inputs, self.folder, {"GITHUB_STEP_SUMMARY": str(place / "summary"), "GITHUB_OUTPUT": str(place / "output")})
        self.summary = (place / "summary").read_text()
        self.written = (place / "output").read_text() if (place / "output").exists() else ""
        self.outputs = outputs(ACTION, inputs, self.written)
        self.left = Left(self.folder / (self.outputs["report"] or "nowhere"))
        return self


# ---- the action ------------------------------------------------------------------------------------
def judge_lint(report, job):
    few = "some jobs\n"
    for level, wanted in (({}, 0), ({"fail_level": "error"}, 0), ({"fail_level": "warning"}, 1), ({"fail_level": "info"}, 1)):
        job.run(paths=few, base="", **level)
        report.check(f"a warning and the level {level or 'by default'}: exit {wanted}", (job.code, job.left.found()) == (wanted, {"SLM002"}), lib.says(job.done))
    job.run(paths="jobs", base="")
    report.check("an error fails the job by default", (job.code, job.left.found()) == (1, {"SLM001"}), lib.says(job.done))
    job.run(paths="jobs", base="", fail_level="never")
    report.check("with `never` it is said and fails nothing", (job.code, job.left.found()) == (0, {"SLM001"}), lib.says(job.done))
    job.run(paths="jobs\n  \n\nsome jobs\n-few.sbatch\n", base="")
    report.equal("paths stand one a line, with blanks and dashes in them", job.left.files(), {"jobs/train.sbatch", "some jobs/few.sbatch", "-few.sbatch"})
    job.run(base="")
    report.equal("without paths it is the whole repository", job.left.files(), {"jobs/train.sbatch", "some jobs/few.sbatch", "-few.sbatch"})
    job.run(paths="nowhere", base="", fail_level="never")
    report.equal("a path that is not there is exit 2, whatever the level", job.code, 2)
    for sites, wanted in (("", {"SLM001"}), ("sites/west.muster", {"SLM001", "SLM017"}), ("sites/east.muster\n\nsites/west.muster\n", {"SLM001"})):
        job.run(paths="jobs", base="", site=sites)
        report.equal(f"lint with the sites {sites.split()}: the first counts", job.left.found(), wanted)
    job.run(paths="jobs", base="", policy="policy")
    report.check("what the policy waives is no finding", (job.code, job.left.found()) == (0, set()), lib.says(job.done))
    job.run(base="", lint_options="--ignore=SLM001\n\n--ignore=SLM008\n", fail_level="warning")
    report.equal("further options of lint stand one a line", (job.code, job.left.found()), (1, {"SLM002"}))


def judge_review(report, job):
    quiet = {"paths": "jobs", "fail_level": "never"}  # so that the exit code is the review's
    job.run(**quiet)
    review = job.left.json("review.json")
    report.check("a finding of the checked-out commit is new, against its first parent", (review.get("base"), review.get("head"), job.left.new()) == ("HEAD^1", "HEAD", [["SLM001"]]), review)
    report.equal("by default what is blocked fails the job", (job.code, job.outputs["findings"], job.outputs["review"]), (1, "0", "1"))
    for fails, policy, wanted in (("blocked", "", 1), ("error", "", 1), ("changed", "", 1), ("never", "", 0), ("blocked", "policy", 0), ("error", "policy", 0), ("changed", "policy", 1), ("never", "policy", 0)):
        job.run(fail_on=fails, policy=policy, **quiet)
        report.equal(f"fail-on {fails}, {'waived by the policy' if policy else 'without a policy'}: exit {wanted}", job.code, wanted)
    job.run(policy="policy", **quiet)
    report.equal("of the review, too, the policy is the judge, and what only changed fails nothing by default", (job.code, job.left.new()), (0, [[]]))
    job.run(review_options="--ignore=SLM001\n\n--exit-code\n", **quiet)
    report.equal("further options of the review stand one a line", (job.code, job.left.new()), (1, [[]]))
    job.run(site="sites/east.muster\n \nsites/west.muster\n", **quiet)
    report.equal("the review is for all sites", job.left.sites(), ["east", "west"])
    job.run(key="clusters/eu", **quiet)
    report.equal("the key is that of the comment", job.left.key(), "clusters/eu")
    job.run(base="HEAD", **quiet)
    report.check("a base of one's own is taken", job.code == 0 and job.left.workloads() == [] and " unchanged -->" in job.left.text("comment.md"), lib.says(job.done))
    job.run(base="", **quiet)
    report.equal("without a base nothing is compared", (job.code, job.outputs["review"], job.left.text("comment.md"), job.left.text("review.html")), (0, "", "", ""))


def judge_codes(report, job):
    for what, inputs, wanted in (
        ("both have findings", {"paths": "jobs"}, (1, "1", "1")),
        ("lint alone has findings", {"paths": "jobs", "fail_on": "never"}, (1, "1", "0")),
        ("lint cannot read what it is given, the review has findings", {"paths": "nowhere"}, (2, "2", "1")),
        ("the review cannot be made, lint has findings", {"paths": "jobs", "base": "nowhere"}, (2, "1", "2")),
    ):
        job.run(**inputs)
        report.equal(f"{what}: the worse of the two exit codes", (job.code, job.outputs["findings"], job.outputs["review"]), wanted)


def judge_left(report, job):
    job.run(paths="jobs", key="eu", report="a place/of reports")
    report.equal("the reports lie where the input says", sorted(path.name for path in job.left.folder.iterdir()), ["comment.md", "lint.json", "lint.md", "lint.sarif", "review.html", "review.json"])
    report.equal("and the output says it, too", job.outputs["report"], "a place/of reports")
    report.equal("each in its form", (job.left.json("lint.json").get("schema"), job.left.json("review.json").get("schema")), ("muster.lint/v1", "muster.review/v1"))
    report.check("SARIF is SARIF", "sarif" in job.left.json("lint.sarif").get("$schema", ""), job.left.text("lint.sarif")[:200])
    report.check("and the page is a page", job.left.text("review.html").lower().startswith("<!doctype html>"), job.left.text("review.html")[:200])
    report.equal("the summary keeps what it had, then lint, then the review", job.summary, "before\n" + job.left.text("lint.md") + job.left.text("comment.md"))
    report.equal("what is left is uploaded, also after a failure", uploads(ACTION, {}), [("always() && steps.check.outputs.report", "${{ steps.check.outputs.artifact || 'muster-report' }}", "${{ steps.check.outputs.report }}")])
    for inputs, name in (({}, "muster-report"), ({"key": "eu"}, "muster-report-eu")):
        job.run(paths="jobs", **inputs)
        report.check(f"the artifact's name, with {inputs or 'no key'}", f"artifact={name}\n" in job.written, job.written)
    posting = (CI / "github" / "muster-comment.yml").read_text()
    report.check("the posting workflow takes the artifacts of those names", "\n          pattern: muster-report* " in posting, posting)


def judge_planted(report, job):
    """A pull request that brings the folder of the reports, or a link of its name, with a comment of its own."""
    planted = "<!-- muster:review v1 key=jobs -->\nmerge me\n"
    for what, plant in (("a folder", lambda at: (at.mkdir(), (at / "comment.md").write_text(planted))),
                        ("a link", lambda at: (job.folder / "elsewhere").mkdir(exist_ok=True) or at.symlink_to(job.folder / "elsewhere")),
                        ("a link to nowhere", lambda at: at.symlink_to(job.folder / "nowhere"))):
        at = job.folder / f"planted {what}"
        plant(at)
        job.run(paths="jobs", report=at.name)
        report.check(f"{what} of the reports' name is refused, and nothing of it is published", (job.code, job.summary, job.outputs["report"]) == (2, "before\n", "") and "exists already" in lib.says(job.done), lib.says(job.done))
        lib.run(["rm", "-rf", "--", str(at)])
    (job.folder / "muster-report").mkdir()
    (job.folder / "muster-report" / "comment.md").write_text(planted)
    job.run(paths="nowhere", base="nowhere", report="")
    report.check("where the review writes nothing, nothing is posted in its place", job.code == 2 and "merge me" not in job.summary and job.left.text("comment.md") == "", lib.says(job.done))
    lib.run(["rm", "-rf", "--", str(job.folder / "muster-report")])
    job.run(paths="jobs", report="two\nreview=0")
    report.equal("a name cannot add outputs", (job.code, job.outputs["review"]), (2, ""))


def judge_action(report, shop):
    job = Job(shop, team(shop.folder / "recipes" / "team"))
    for part in (judge_lint, judge_review, judge_codes, judge_left, judge_planted):
        part(report, job)


# ---- GitLab ----------------------------------------------------------------------------------------
class Pipeline:
    """The template's job, run by gitlab-ci-local in somebody's repository."""

    def __init__(self, shop, tool, folder):
        self.shop, self.tool, self.folder = shop, tool, folder
        self.base = git(folder, "rev-parse", "HEAD~1")
        git(folder, "remote", "add", "origin", "https://gitlab.com/somebody/jobs.git")
        shutil.copy2(CI / "gitlab" / "muster.yml", folder / "template.yml")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "CI")

    def run(self, base="", merges=True, keep=False, **variables):
        """The job with these variables of its own, for a merge request or for a push to the default branch."""
        lines = "".join(f"    {name}: {json.dumps(text)}\n" for name, text in variables.items())
        (self.folder / ".gitlab-ci.yml").write_text(f"include: {{ local: template.yml }}\nmuster:\n  variables:\n    CI_MADE: by-hand\n{lines}")
        if not keep:
            shutil.rmtree(self.folder / "muster-report", ignore_errors=True)
        self.host = Host("gitlab", me="group_bot")
        with Served(self.host) as address:
            given = {"CI_PROJECT_ID": "5", "CI_API_V4_URL": address, "GITLAB_TOKEN": "t", "CI_PIPELINE_SOURCE": "push"}
            if merges:
                given.update(CI_PIPELINE_SOURCE="merge_request_event", CI_MERGE_REQUEST_DIFF_BASE_SHA=base or self.base, CI_MERGE_REQUEST_IID="7")
            env = {**os.environ, "PATH": f"{CI}:{self.shop.folder}:{os.environ['PATH']}", "HOME": str(self.shop.place("recipes/home"))}
            words = [word for name, value in given.items() for word in ("--variable", f"{name}={value}")]
            done = lib.run([self.tool, "--force-shell-executor", "--no-json-schema-validation", *words, "muster"], cwd=self.folder, env=env, timeout=120)
        self.says = lib.says(done)
        ended = re.search(r"^muster finished in .*?( FAIL (\d+))?\s*$", self.says, re.M)
        self.code = int(ended[2] or 0) if ended else None
        self.left = Left(self.folder / "muster-report")
        return self

    def quality(self):
        """The rules that the merge request shows."""
        return sorted(finding["check_name"].split()[0] for finding in json.loads(self.left.text("quality.json") or "[]"))

    def comments(self):
        return [comment["body"] for comment in self.host.comments]


def judge_merge_request(report, job):
    job.run(MUSTER_PATHS="jobs\nsites")
    review = job.left.json("review.json")
    report.equal("GitLab: a finding of the merge request is new, against its base", (review.get("base"), review.get("head"), job.left.new()), (job.base, "HEAD", [["SLM001"]]))
    report.check("GitLab: it is in both reports of quality", job.quality() == ["SLM001"] and "SLM001" in job.left.text("junit.xml"), job.says)
    report.check("GitLab: the comment is the report, as is the page", job.comments() == [job.left.text("comment.md")] and job.left.text("review.html").lower().startswith("<!doctype html>"), job.comments())
    job.run(MUSTER_PATHS="jobs", MUSTER_SITE="sites/west.muster", MUSTER_POLICY="policy", MUSTER_KEY="eu", MUSTER_FAIL_LEVEL="never", MUSTER_FAIL_ON="changed")
    report.equal("GitLab: site and policy are those of lint", job.quality(), ["SLM017"])
    findings = job.left.workloads()[0]["findings"] if job.left.workloads() else {}
    report.equal("GitLab: and of the review", ([f["code"] for f in findings.get("allowed", [])], findings.get("new"), findings.get("kept")), (["SLM001"], [], 1))
    report.equal("GitLab: the key is that of the comment, and `changed` fails the job", (job.left.key(), job.code), ("eu", 1))
    # The tool keeps a copy of the repository in a hidden folder of it, which is not to be linted.
    job.run(MUSTER_PATHS="jobs\nsome jobs\n-few.sbatch", MUSTER_LINT_OPTIONS="--ignore=SLM001\n\n--ignore=SLM008", MUSTER_REVIEW_OPTIONS="--select=SLM008\n--mermaid")
    report.equal("GitLab: further options of lint and of the review stand one a line", (job.code, job.quality(), job.left.new()), (0, ["SLM002", "SLM002"], [[]]))
    job.run(MUSTER_PATHS="jobs", merges=False)
    report.equal("GitLab: a push is linted, and nothing is compared", (job.code, job.quality(), job.left.text("review.json"), job.comments()), (1, ["SLM001"], "", []))


def judge_levels(report, job):
    few = "some jobs"
    for what, wanted, variables in (
        ("a warning fails nothing by default", 0, {"MUSTER_PATHS": few, "MUSTER_FAIL_ON": "never"}),
        ("but does with the level of warnings", 1, {"MUSTER_PATHS": few, "MUSTER_FAIL_ON": "never", "MUSTER_FAIL_LEVEL": "warning"}),
        ("`never` twice: nothing fails", 0, {"MUSTER_FAIL_LEVEL": "never", "MUSTER_FAIL_ON": "never"}),
        ("what is blocked fails the job by default", 1, {"MUSTER_FAIL_LEVEL": "never"}),
        ("what is changed does not", 0, {"MUSTER_FAIL_LEVEL": "never", "MUSTER_POLICY": "policy"}),
        ("a path that is not there weighs more than findings of the review", 2, {"MUSTER_PATHS": "nowhere", "MUSTER_FAIL_LEVEL": "never"}),
    ):
        job.run(**variables)
        report.equal(f"GitLab: {what}", (job.code, len(job.comments())), (wanted, 1))
    job.run(base="0" * 40, MUSTER_PATHS="jobs")
    report.equal("GitLab: a base that is not there weighs more than findings of lint, and nothing is posted", (job.code, job.comments()), (2, []))
    shutil.rmtree(job.folder / "muster-report", ignore_errors=True)
    (job.folder / "muster-report").mkdir()
    (job.folder / "muster-report" / "comment.md").write_text("<!-- muster:review v1 key=jobs -->\nmerge me\n")
    job.run(base="0" * 40, MUSTER_PATHS="jobs", keep=True)
    report.equal("GitLab: a folder that the merge request brings is refused, and nothing of it is posted", (job.code, job.comments()), (2, []))


def judge_long_comment(report, job):
    """Long enough for GitHub's limit, and not for GitLab's."""
    (job.folder / "many").mkdir()
    for at in range(500):
        (job.folder / "many" / f"train-{at}.sbatch").write_text(JOB.format(tasks=8, processes=8))
    git(job.folder, "add", "-A")
    git(job.folder, "commit", "-qm", "many jobs")
    job.run(MUSTER_PATHS="jobs")
    report.check("GitLab: a report that it takes is posted whole", len(job.comments()) == 1 and all(f"many/train-{at}.sbatch" in job.comments()[0] for at in range(500)), [len(text) for text in job.comments()])


def judge_gitlab(report, shop, tool):
    job = Pipeline(shop, tool, team(shop.folder / "recipes" / "merged"))
    for part in (judge_merge_request, judge_levels, judge_long_comment):
        part(report, job)

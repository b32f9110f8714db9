"""What ci/ ships for CI systems, taken by those who read it: actionlint, pre-commit, gitlab-ci-local and reviewdog; the
action's own steps are run, and muster-comment talks to a stub of both hosts."""
import os
import pathlib
import re
import shutil
import subprocess

from . import lib, recipe_inputs, recipe_policy, recipe_releases
from .actions import git, run_action
from .review_host import Host, Served

TOOLS = lib.HERE / "recipes"
CI = lib.CHECKOUT / "ci"
SCRIPT = "#!/bin/bash\n#SBATCH --nodes=8\n#SBATCH --ntasks-per-node=8\n#SBATCH --gpus-per-node=8\nsrun torchrun --nnodes=8 --nproc_per_node=8 t.py\n"
MARKER = "<!-- muster:review v1 key=jobs -->\n"
CHANGED = MARKER + "### Decisions: 1 changed\n"
SAME = "<!-- muster:review v1 key=jobs unchanged -->\nNo decision changed.\n"
BOT = "github-actions[bot]"


# ---- tools ---------------------------------------------------------------------------------------
def go_tool(report, shop, package):
    """A program of the pinned Go modules, built; None and a skip where there is no Go."""
    if not shutil.which("go"):
        return report.skip("go", f"recipes {package.rsplit('/', 1)[-1]}", "Go is not installed")
    path = shop.place("recipes/bin") / package.rsplit("/", 1)[-1]
    built = lib.run(["go", "build", "-trimpath", "-o", path, package], timeout=1200, cwd=TOOLS)
    return path if report.check(f"{path.name} builds", built.returncode == 0, lib.says(built)) else None


def python_tool(report, shop, name):
    folder = shop.place("recipes/venv")
    made = lib.run(["python3", "-m", "venv", folder], timeout=120)
    if made.returncode == 0:
        made = lib.run([folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "-r", TOOLS / "requirements.txt"], timeout=300)
    if made.returncode != 0:
        return report.skip(name, f"recipes {name}", f"{name} cannot be installed: {lib.says(made)[:200]}")
    return folder / "bin" / name


def node_tool(report, shop, name):
    if not shutil.which("npm"):
        return report.skip("npm", f"recipes {name}", "npm is not installed")
    folder = shop.place("recipes/node")
    for file in ("package.json", "package-lock.json"):
        shutil.copy2(TOOLS / file, folder)
    made = lib.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], timeout=300, cwd=folder)
    if made.returncode != 0:
        return report.skip(name, f"recipes {name}", f"{name} cannot be installed: {lib.says(made)[:200]}")
    return folder / "node_modules" / ".bin" / name


def repository(folder):
    """A repository of somebody: one job, and a commit on top that spoils it."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "job.sbatch").write_text(SCRIPT.replace("#SBATCH --ntasks-per-node=8\n", "#SBATCH --ntasks-per-node=1\n"))
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a job")
    (folder / "job.sbatch").write_text(SCRIPT)
    git(folder, "commit", "-qam", "more tasks")
    return folder


# ---- GitHub: the files and the action --------------------------------------------------------------
def workflows(shop, name, edit=lambda text: text):
    """A checkout of ours in which the recipes are its own workflows, so that inputs are held against action.yml."""
    folder = shop.folder / "recipes" / name
    shutil.copytree(CI, folder / "ci")
    shutil.copy2(lib.CHECKOUT / "action.yml", folder)
    (folder / ".github" / "workflows").mkdir(parents=True)
    for recipe in sorted((CI / "github").glob("*.yml")):
        text = re.sub(r"OWNER/muster(\S*)@v1", r"./\1", recipe.read_text()).replace(".//", "./")
        (folder / ".github" / "workflows" / recipe.name).write_text(edit(text))
    git(folder, "init", "-q")
    return folder


def judge_workflows(report, shop, actionlint):
    checked = lib.run([actionlint, "-shellcheck", shutil.which("shellcheck") or "", "-pyflakes", ""], cwd=workflows(shop, "good"))
    report.check("actionlint takes the action and the workflows", checked.returncode == 0, lib.says(checked))
    for path in lib.broken_files("recipes", ".sed"):
        folder = workflows(shop, path.stem, lambda text, path=path: spoilt(path, text))
        lib.must_reject(report, path, lambda inner, folder=folder: inner.check("takes", *accepted(actionlint, folder)))


def spoilt(path, text):
    try:
        return lib.mutation(path)(text)
    except ValueError:  # meant for another of the files
        return text


def accepted(actionlint, folder):
    done = lib.run([actionlint, "-shellcheck", "", "-pyflakes", ""], cwd=folder)
    return done.returncode == 0, lib.says(done)


def judge_rights(report):
    """The two workflows: the one that runs the pull request's files has no right, the one with a right runs none of them."""
    computing, posting = ((CI / "github" / name).read_text() for name in ("muster.yml", "muster-comment.yml"))
    report.check("the workflow that reads the pull request may write nothing", re.findall(r"^  (\S+: \S+)$", computing.split("jobs:")[0].split("permissions:")[1], re.M) == ["contents: read"])
    report.check("the workflow that may comment checks nothing out and runs no shell of its own", "actions/checkout" not in posting and not re.search(r"^\s*(- )?run:", posting, re.M))


def judge_action(report, shop):
    folder = repository(shop.folder / "recipes" / "somebody")
    files = {name: str(shop.place("recipes/job") / name.lower()) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    code, done = run_action(lib.CHECKOUT / "action.yml", {"muster": str(shop.muster), "fail-on": "never"}, folder, files)
    written = pathlib.Path(files["GITHUB_OUTPUT"]).read_text()
    reports = pathlib.Path(dict(line.split("=", 1) for line in written.splitlines())["report"])
    report.check("its reports lie outside the checkout", folder not in reports.parents, reports)
    report.equal("the action ends with 1 where a job is wrong", code, 1)
    report.check("it annotates the line", re.search(r"^::error .*file=job\.sbatch,.*line=\d", done.stdout, re.M), lib.says(done))
    report.check("it leaves six reports", sorted(p.name for p in reports.iterdir()) == ["comment.md", "lint.json", "lint.md", "lint.sarif", "review.html", "review.json"], list(reports.iterdir()))
    report.check("the summary has both", all(word in pathlib.Path(files["GITHUB_STEP_SUMMARY"]).read_text() for word in ("SLM001", "muster:review")))
    report.equal("the outputs are exit codes", written, f"report={reports}\nartifact=muster-report\nfindings=1\nreview=0\n")
    hostile = "$(touch gone); `touch gone`\n; touch gone #"
    code, done = run_action(lib.CHECKOUT / "action.yml", {"muster": str(shop.muster), "paths": hostile, "key": "$(touch gone)"}, folder, files)
    report.check("no input is read as shell", code == 2 and not (folder / "gone").exists(), lib.says(done))
    comment = (reports / "comment.md").read_text()
    with Served(Host("github")) as address:
        inputs = {"sha": "a" * 40, "branch": "someone:topic", "token": "t", "report": str(reports)}
        code, done = run_action(CI / "github" / "comment" / "action.yml", inputs, folder, {"GITHUB_API_URL": address, "GITHUB_REPOSITORY": "o/r"})
        report.check("the other action posts what this one left", code == 0 and "a comment was made" in done.stdout, lib.says(done))
    return comment


def judge_checkouts(report, shop):
    """The states a checkout can be in: the action compares where it can, says why not where it cannot, and never lies."""
    action = lib.CHECKOUT / "action.yml"

    def ran(what, folder, code, says="", outputs="", **inputs):
        files = {name: str(shop.place(f"recipes/checkouts/{what}") / name.lower()) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        found, done = run_action(action, {"muster": str(shop.muster), **{name.replace("_", "-"): value for name, value in inputs.items()}}, folder, files)
        written = pathlib.Path(files["GITHUB_OUTPUT"]).read_text()
        named = re.match("report=(.+)\n", written)
        good = found == code and says in lib.says(done) and re.fullmatch("report=[^\n]+\n" + (outputs or ".*"), written, re.S)
        report.check(f"action: {what}", good, f"{found} {written!r} {lib.says(done)[-500:]}")
        return pathlib.Path(named[1] if named else folder) / "comment.md"

    first = shop.place("recipes/checkouts") / "first"
    first.mkdir()
    git(first, "init", "-q")
    (first / "job.sbatch").write_text(SCRIPT)
    git(first, "add", "-A")
    git(first, "commit", "-qm", "a job\n\nparent " + "a" * 40)
    plain = "artifact=muster-report\nfindings=1\n"
    ran("a first commit is linted and compared with nothing", first, 1, "this is the first commit", plain)
    ran("so is the first push of a branch", repository(shop.folder / "recipes" / "pushed"), 1, "the branch is new", plain, base="0" * 40)

    full = repository(shop.folder / "recipes" / "full")
    shallow = shop.folder / "recipes" / "shallow"
    git(shop.folder, "clone", "-q", "--depth", "1", f"file://{full}", shallow)
    ran("a shallow clone is told what it lacks", shallow, 2, "fetch-depth: 2")
    git(shop.folder, "clone", "-q", "--depth", "2", f"file://{full}", shop.folder / "recipes" / "deep")
    ran("two commits are enough", shop.folder / "recipes" / "deep", 1, "SLM001", plain + "review=1\n")
    ran("a base that was deleted is named", full, 2, "origin/gone", base="origin/gone")
    ran("a base that looks like an option is a revision", full, 2, "--output=gone", base="--output=gone")
    report.check("action: and writes nothing", not (full / "gone").exists())

    merged = repository(shop.folder / "recipes" / "merged")
    git(merged, "checkout", "-q", "-b", "topic", "HEAD~1")
    (merged / "other.sbatch").write_text("#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --time=1:00:00\nsrun ./a\n")
    git(merged, "add", "-A")
    git(merged, "commit", "-qm", "another job")
    git(merged, "checkout", "-q", "main")
    git(merged, "merge", "-q", "--no-ff", "-m", "merge", "topic")
    comment = ran("a merge is compared with the tip of its base", merged, 1, outputs=plain + "review=0\n")
    report.check("action: which shows the topic and nothing else", "other.sbatch" in comment.read_text() and "job.sbatch" not in comment.read_text(), comment.read_text())

    spaced = repository(shop.folder / "recipes" / "two words")
    (spaced / "my jobs").mkdir()
    git(spaced, "mv", "job.sbatch", "my jobs/a job.sbatch")
    git(spaced, "commit", "-qm", "moved")
    ran("paths have spaces, of folders, files and the report", spaced, 1, "file=my jobs/a job.sbatch", "artifact=muster-report\nfindings=1\nreview=0\n", paths="my jobs/a job.sbatch\n")
    keyed = ran("a key names the artifact, without what a name may not have", spaced, 1, outputs="artifact=muster-report-clusters-eu--x-y\nfindings=1\nreview=0\n", key="clusters/eu\n x=y")
    report.check("action: and the comment has it", "key=clusters/eu" in keyed.read_text().split("\n")[0], keyed.read_text()[:200])

    empty = shop.place("recipes/checkouts") / "empty"
    empty.mkdir()
    git(empty, "init", "-q")
    for at in range(2):
        (empty / "README.md").write_text(f"{at}\n")
        git(empty, "add", "-A")
        git(empty, "commit", "-qm", "nothing of ours")
    ran("a repository without a file of ours is an error", empty, 2, "--allow-empty")
    ran("but where that is said to be good", empty, 0, outputs="artifact=muster-report\nfindings=0\nreview=0\n", lint_options="\n--allow-empty\n")


def judge_post(report, shop):
    """The second workflow with the artifacts of a run: each report in a folder of its own, from somebody whom nobody trusts."""
    inputs = {"sha": "a" * 40, "branch": "someone:topic", "token": "t"}

    def posted(what, files, comments, code=0, says=""):
        folder = shop.place(f"recipes/posted/{what}")
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                (folder / path).symlink_to(lib.CHECKOUT / "README.md")
            else:
                (folder / path).write_text(text)
        host = Host("github")
        with Served(host) as address:
            found, done = run_action(CI / "github" / "comment" / "action.yml", inputs, folder, {"GITHUB_API_URL": address, "GITHUB_REPOSITORY": "o/r"})
        good = found == code and len(host.comments) == comments and says in lib.says(done)
        report.check(f"the second workflow: {what}", good, f"{found} {len(host.comments)} {lib.says(done)}")

    other = CHANGED.replace("jobs", "eu")
    posted("one report a key", {"muster-report/muster-report/comment.md": CHANGED, "muster-report/muster-report-eu/comment.md": other}, 2)
    posted("no report at all", {"muster-report/muster-report/lint.json": "{}"}, 0, says="nothing is posted")
    posted("a link is no report", {"muster-report/muster-report/comment.md": None}, 0)
    posted("a report that is none fails, the others are posted", {"muster-report/a/comment.md": "hello", "muster-report/b/comment.md": CHANGED}, 1, code=2)
    many = {f"muster-report/{at}/comment.md": CHANGED.replace("jobs", f"k{at}") for at in range(40)}
    posted("no flood", many, 10, says="40 reviews")


# ---- the comment -----------------------------------------------------------------------------------
def comment(shop, host, text, *words, token="t", summary=None):
    path = shop.place("recipes/comments") / "report.md"
    path.unlink(missing_ok=True)
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    where = ["--host", "github", "--repo", "o/r"] if host.kind == "github" else ["--host", "gitlab", "--project", "5"]
    with Served(host) as address:
        env = {**os.environ, "GITHUB_TOKEN": token, "GITLAB_TOKEN": token, "GITHUB_API_URL": address, "CI_API_V4_URL": address}
        env.pop("GITHUB_STEP_SUMMARY", None)
        if summary:
            env["GITHUB_STEP_SUMMARY"] = str(summary)
        return lib.run([CI / "muster-comment", *where, *(words or ("--number", "7")), path], env=env, timeout=60)


def judge_comments(report, shop, kind):
    me = BOT if kind == "github" else "group_bot"

    def case(what, host, text, bodies, *words, says="", code=0, **options):
        host.me = me
        done = comment(shop, host, text, *words, **options)
        good = done.returncode == code and [c["body"] for c in host.comments] == bodies and says in done.stdout + done.stderr
        report.check(f"{kind}: {what}", good, f"{done.returncode} {lib.says(done)} {[(c['body'] or '')[:60] for c in host.comments]}")

    filler = [("someone", f"comment {at}") for at in range(250)]
    others = [body for _, body in filler]
    case("a first report makes a comment", Host(kind), CHANGED, [CHANGED], says="made")
    case("a second one changes it in place, on the third page", Host(kind, filler + [(me, MARKER + "old")]), CHANGED, others + [CHANGED], says="changed")
    same = Host(kind, [(me, CHANGED.replace("\n", "\r\n"))])
    case("what stands there already is not written again", same, CHANGED, [CHANGED.replace("\n", "\r\n")])
    report.check(f"{kind}: and nothing was sent", {method for method, _ in same.log} == {"GET"}, same.log)
    case("another's comment with our marker is not touched", Host(kind, [("mallory", MARKER + "x")]), CHANGED, [MARKER + "x", CHANGED])
    case("another key is another comment", Host(kind, [(me, MARKER.replace("jobs", "eu") + "x")]), CHANGED, [MARKER.replace("jobs", "eu") + "x", CHANGED])
    case("nothing changed and no comment: silence", Host(kind), SAME, [], says="nothing was posted")
    case("nothing changed any more: the comment says so", Host(kind, [(me, CHANGED)]), SAME, [SAME])
    long = CHANGED + "x" * 1_000_000
    case("too long: the comment says where it is", Host(kind), long, [MARKER + "The report is too long for a comment of this host. It is whole in the job's artifacts.\n"], says="too long")
    case("a fork's token may not comment: the log says so, and nothing fails", Host(kind, rights=False), CHANGED, [], says="may not")
    case("no token at all", Host(kind), CHANGED, [], token="", says="no token")
    busy = Host(kind)
    busy.busy = 2
    case("a busy host is asked again", busy, CHANGED, [CHANGED])
    busy = Host(kind)
    busy.busy, busy.busy_status = 1, 429
    case("so is one that asks for patience", busy, CHANGED, [CHANGED])
    broken = Host(kind)
    broken.busy, broken.busy_status = 1, 500
    case("a question that failed is asked again", broken, CHANGED, [CHANGED])
    refused = Host(kind)
    refused.failing, refused.failing_status, refused.failures = "POST", 503, 1
    case("a comment that a busy host did not take is sent again", refused, CHANGED, [CHANGED])
    lost = Host(kind)
    lost.failing, lost.failing_status, lost.failures = "GET", 0, 1
    case("a question that got no answer is asked again", lost, CHANGED, [CHANGED])
    for status, what in ((500, "failed"), (0, "got no answer")):
        failing = Host(kind)
        failing.failing, failing.failing_status = "POST", status
        case(f"a comment that {what} may have been made: it is not made again", failing, CHANGED, [], code=1)
        report.equal(f"{kind}: it was sent once, {what}", [method for method, _ in failing.log].count("POST"), 1)
    refusing = Host(kind)
    refusing.failing, refusing.failing_status = "POST", 400
    case("a refusal that does not speak of length is an error", refusing, CHANGED, [], code=1)
    report.equal(f"{kind}: and is not tried with less", [method for method, _ in refusing.log].count("POST"), 1)
    large = Host(kind)
    large.failing, large.failing_status = "POST", 413
    case("a proxy that takes no more is told less", large, CHANGED, [], code=1)
    report.equal(f"{kind}: once", [method for method, _ in large.log].count("POST"), 2)
    away, thief = Host(kind), Host(kind)
    with Served(thief) as address:
        away.redirect = address + "/steal"
        case("a redirect is an error", away, CHANGED, [], code=1)
    report.check(f"{kind}: and is not followed: it would take the token along", not thief.log, thief.log)
    case("a file that is no report is refused", Host(kind), "hello\n", [], code=2)
    case("so is one that is larger than any host takes", Host(kind), CHANGED + "x" * (1 << 20), [], code=2)
    case("and one that is no text", Host(kind), MARKER.encode() + b"\xff\xfe", [], code=2, says="cannot read")
    case("and one that is not there", Host(kind), None, [], code=2, says="cannot read")
    elsewhere = ("--repo", "o/r/../x") if kind == "github" else ("--project", "5/../6")
    case("a repository that is none is refused", Host(kind), CHANGED, [], "--number", "7", *elsewhere, code=2, says="--repo" if kind == "github" else "--project")
    case("neither a number nor a commit", Host(kind), CHANGED, [], "--sha", "abc", code=2)
    case("comments of the author that is named are ours", Host(kind, [("helper", MARKER + "old")]), CHANGED, [CHANGED], "--number", "7", "--author", "helper")
    case("comments without a text or an author are passed over", Host(kind, [(None, None), (me, None), (me, CHANGED)]), SAME, [None, None, SAME])
    if kind == "gitlab":
        noted = Host(kind, [(me, MARKER + "noted")])
        noted.comments[0]["system"] = True
        case("a note that GitLab wrote itself is not touched", noted, CHANGED, [MARKER + "noted", CHANGED])
    summary = shop.place("recipes/comments") / "summary.md"
    summary.write_text("before\n")
    case("what cannot be a comment stands below the summary", Host(kind), CHANGED, [], token="", summary=summary, says="summary")
    report.equal(f"{kind}: and the summary keeps what it had", summary.read_text(), "before\n" + CHANGED)
    case("a number that is none is refused", Host(kind), CHANGED, [], "--number", "7;x", code=2)


def judge_heads(report, shop):
    for what, words, made in (
        ("by commit and branch", ("--sha", "a" * 40, "--branch", "someone:topic"), 1),
        ("by commit alone", ("--sha", "a" * 40), 1),
        ("not for a head that has moved on", ("--sha", "b" * 40, "--branch", "someone:topic"), 0),
        ("not for another's branch", ("--sha", "a" * 40, "--branch", "mallory:topic"), 0),
    ):
        host = Host("github")
        done = comment(shop, host, CHANGED, *words)
        report.check(f"the pull request is found {what}", done.returncode == 0 and len(host.comments) == made, lib.says(done))
    for words in (("--sha", "a" * 40, "--branch", "someone:topic"), ("--sha", "a" * 40)):
        closed = Host("github")
        closed.state = "closed"
        done = comment(shop, closed, CHANGED, *words)
        report.check("a closed pull request is not commented on", done.returncode == 0 and not closed.comments, lib.says(done))


# ---- pre-commit, GitLab, reviewdog -------------------------------------------------------------------
def judge_pre_commit(report, shop):
    pre_commit = python_tool(report, shop, "pre-commit")
    if not pre_commit:
        return
    checked = lib.run([pre_commit, "validate-manifest", lib.CHECKOUT / ".pre-commit-hooks.yaml"])
    report.check("pre-commit takes the hooks", checked.returncode == 0, lib.says(checked))
    hooks = shop.place("recipes/hooks")
    shutil.copy2(lib.CHECKOUT / ".pre-commit-hooks.yaml", hooks)
    git(hooks, "init", "-q")
    git(hooks, "add", "-A")
    git(hooks, "commit", "-qm", "hooks")
    folder = repository(shop.folder / "recipes" / "hooked")
    (folder / "a.muster").write_text('workload a  {\nkind=train\n command = ["./a"]\n}\n')
    (folder / "notes.yaml").write_text("a: b\n")
    git(folder, "add", "-A")
    env = {**os.environ, "PATH": f"{shop.folder}:{os.environ['PATH']}", "PRE_COMMIT_HOME": str(shop.place("recipes/pre-commit"))}
    done = lib.run([pre_commit, "try-repo", hooks, "muster-lint", "--all-files"], cwd=folder, env=env, timeout=120)
    report.check("the lint hook fails for a wrong job", done.returncode == 1 and "SLM001" in done.stdout, lib.says(done))
    done = lib.run([pre_commit, "try-repo", hooks, "muster-fmt", "--all-files"], cwd=folder, env=env, timeout=120)
    report.check("the format hook writes the file and says so", done.returncode == 1 and "files were modified" in done.stdout, lib.says(done))
    done = lib.run([pre_commit, "try-repo", hooks, "muster-fmt", "--all-files"], cwd=folder, env=env, timeout=120)
    report.check("and is content with it", done.returncode == 0, lib.says(done))


def judge_gitlab(report, shop):
    tool = node_tool(report, shop, "gitlab-ci-local")
    if not tool:
        return
    folder = repository(shop.folder / "recipes" / "gitlab")
    git(folder, "remote", "add", "origin", "https://gitlab.com/somebody/jobs.git")
    shutil.copy2(CI / "gitlab" / "muster.yml", folder / "template.yml")
    (folder / ".gitlab-ci.yml").write_text("include: { local: template.yml }\nmuster: { variables: { MUSTER_FAIL_ON: error } }\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "CI")
    base = git(folder, "rev-parse", "HEAD~2")
    (folder / "my jobs").mkdir()
    shutil.copy2(folder / "job.sbatch", folder / "my jobs" / "a job.sbatch")

    def ran(**revisions):
        host = Host("gitlab", me="group_bot")
        with Served(host) as address:
            given = {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_IID": "7", "CI_PROJECT_ID": "5", "CI_API_V4_URL": address,
                     "GITLAB_TOKEN": "t", "MUSTER_PATHS": "job.sbatch\nmy jobs/a job.sbatch", **revisions}
            env = {**os.environ, "PATH": f"{CI}:{shop.folder}:{os.environ['PATH']}", "HOME": str(shop.place("recipes/home"))}
            words = [word for name, value in given.items() for word in ("--variable", f"{name}={value}")]
            return host, lib.run([tool, "--force-shell-executor", *words, "muster"], cwd=folder, env=env, timeout=120)

    host, done = ran(CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    report.check("GitLab's job fails for a wrong job", done.returncode == 1 and "SLM001" in lib.says(done), lib.says(done)[-600:])
    report.check("its paths are one a line, and may have spaces", "my jobs/a job.sbatch" in lib.says(done), lib.says(done)[-600:])
    report.check("it comments on the merge request", len(host.comments) == 1 and "muster:review" in host.comments[0]["body"], host.log)
    # The merge base is older than the target branch; what came to that meanwhile is no change of the merge request.
    host, done = ran(CI_MERGE_REQUEST_DIFF_BASE_SHA=base, CI_MERGE_REQUEST_TARGET_BRANCH_SHA=git(folder, "rev-parse", "HEAD"))
    report.check("merged results are compared with the tip of the target branch", done.returncode == 1 and not host.comments, host.comments or lib.says(done)[-300:])
    recipe_inputs.judge_gitlab(report, shop, tool)
    recipe_releases.judge_gitlab(report, shop, tool, recipe_releases.Releases(shop), repository(shop.folder / "recipes" / "released-gitlab"))


def judge_reviewdog(report, shop):
    reviewdog = go_tool(report, shop, "github.com/reviewdog/reviewdog/cmd/reviewdog")
    if not reviewdog:
        return
    folder = repository(shop.folder / "recipes" / "dog")
    for form in ("sarif", "checkstyle"):
        text = lib.run([shop.muster, "lint", ".", "--exit-zero", "-o", form], cwd=folder).stdout
        done = subprocess.run([reviewdog, f"-f={form}", "-name=muster", "-reporter=local", "-diff=git diff HEAD~1", "-filter-mode=file"],
                              input=text, capture_output=True, text=True, cwd=folder, timeout=60, check=False)
        report.check(f"reviewdog shows what our {form} says of a changed file", re.search(r"job\.sbatch:\d.*SLM001|SLM001.*job\.sbatch", done.stdout, re.S), lib.says(done))


def judge(report, shop):
    judge_rights(report)
    for kind in ("github", "gitlab"):
        judge_comments(report, shop, kind)
    judge_heads(report, shop)
    judge_action(report, shop)
    judge_checkouts(report, shop)
    judge_post(report, shop)
    recipe_inputs.judge_action(report, shop)
    recipe_policy.judge(report, shop)
    recipe_releases.judge_pins(report)
    recipe_releases.judge_action(report, shop, recipe_releases.Releases(shop), repository(shop.folder / "recipes" / "released"))
    actionlint = go_tool(report, shop, "github.com/rhysd/actionlint/cmd/actionlint")
    if actionlint:
        judge_workflows(report, shop, actionlint)
    judge_pre_commit(report, shop)
    judge_gitlab(report, shop)
    judge_reviewdog(report, shop)

"""The recipes with a file of a release: the one with the right checksum is used, any other is refused and nothing runs."""
import hashlib
import io
import os
import re
import tarfile

from . import lib
from .actions import git, run_action
from .release import served

CI = lib.CHECKOUT / "ci"
ACTION = lib.CHECKOUT / "action.yml"
PINNED = re.compile(r"uses: (?!OWNER/)\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


def judge_pins(report):
    """A tag can be moved to other code; a commit cannot."""
    files = [ACTION, *sorted(CI.rglob("*.yml"))]
    uses = [(path.name, line.strip()) for path in files for line in path.read_text().splitlines() if re.search(r"\buses:", line) and "uses: OWNER/" not in line]
    report.check("actions of others are used", len(uses) >= 4, uses)
    report.equal("each is pinned by its commit, with the version in a comment", [use for use in uses if not PINNED.search(use[1])], [])


def archive(path, members):
    """An archive as a release has it; its checksum."""
    with tarfile.open(path, "w:gz") as out:
        for name, data in members.items():
            info = tarfile.TarInfo(f"muster-0-linux-amd64/{name}")
            info.size, info.mode = len(data), 0o755
            out.addfile(info, io.BytesIO(data))
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Releases:
    """A folder with a good archive, one that would betray us, and one without muster."""

    def __init__(self, shop):
        self.folder = shop.place("recipes/release")
        comment = (CI / "muster-comment").read_bytes()
        self.good = archive(self.folder / "good.tar.gz", {"muster": shop.muster.read_bytes(), "muster-comment": comment})
        archive(self.folder / "evil.tar.gz", {"muster": b"#!/bin/sh\ntouch betrayed\n"})
        self.empty = archive(self.folder / "empty.tar.gz", {"README": b"nothing"})
        (self.folder / "text").write_text("no archive\n")
        self.text = hashlib.sha256(b"no archive\n").hexdigest()


def judge_action(report, shop, releases, folder):
    def ran(what, address, checksum, code, says):
        temporary = shop.place("recipes/release-temp")
        inputs = {"release": address, "checksum": checksum, "base": ""}
        found, done = run_action(ACTION, inputs, folder, {"RUNNER_TEMP": str(temporary), "GITHUB_OUTPUT": "/dev/null", "GITHUB_STEP_SUMMARY": "/dev/null", "MUSTER": ""})
        good = found == code and re.search(says, lib.says(done)) and not (folder / "betrayed").exists()
        report.check(f"action: {what}", good, f"{found} {lib.says(done)[-400:]}")

    with served(releases.folder) as address:
        ran("a release file with its checksum is used", f"{address}/good.tar.gz", releases.good, 1, "SLM001")
        ran("so is one on this machine", f"file://{releases.folder}/good.tar.gz", releases.good, 1, "SLM001")
        ran("another file under that name is refused, and does not run", f"{address}/evil.tar.gz", releases.good, 2, "checksum of .* is .*, not")
        ran("a wrong checksum is refused", f"{address}/good.tar.gz", "0" * 64, 2, "nothing is installed")
        ran("a release file without a checksum is refused", f"{address}/good.tar.gz", "", 2, "checksum of the release file is missing")
        ran("half a checksum is refused", f"{address}/good.tar.gz", releases.good[:32], 2, "64 digits, not 32")
        ran("a file that is not there is an error", f"{address}/gone.tar.gz", releases.good, 2, "cannot download")
        ran("so is an archive without muster", f"{address}/empty.tar.gz", releases.empty, 2, "no muster in it")
        ran("and a file that is no archive", f"{address}/text", releases.text, 2, "not an archive")


def judge_gitlab(report, shop, tool, releases, folder):
    """The template in an image that has no muster."""
    path = ":".join(part for part in os.environ["PATH"].split(":") if not os.path.exists(os.path.join(part, "muster")))
    git(folder, "remote", "add", "origin", "https://gitlab.com/somebody/jobs.git")
    (folder / "template.yml").write_text((CI / "gitlab" / "muster.yml").read_text())
    (folder / ".gitlab-ci.yml").write_text("include: { local: template.yml }\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "CI")

    def ran(what, address, checksum, says, refused):
        env = {**os.environ, "PATH": path, "HOME": str(shop.place("recipes/home"))}
        given = {"CI_PIPELINE_SOURCE": "push", "MUSTER_RELEASE": address, "MUSTER_CHECKSUM": checksum, "MUSTER_PATHS": "job.sbatch"}
        words = [word for name, value in given.items() for word in ("--variable", f"{name}={value}")]
        done = lib.run([tool, "--force-shell-executor", "--no-json-schema-validation", *words, "muster"], cwd=folder, env=env, timeout=120)
        good = done.returncode != 0 and re.search(says, lib.says(done)) and ("SLM001" in lib.says(done)) != refused and not (folder / "betrayed").exists()
        report.check(f"GitLab: {what}", good, f"{done.returncode} {lib.says(done)[-500:]}")

    with served(releases.folder) as address:
        ran("a release file with its checksum is used", f"{address}/good.tar.gz", releases.good, "SLM001", False)
        ran("another file under that name is refused, and does not run", f"{address}/evil.tar.gz", releases.good, "checksum", True)
        ran("a release file without a checksum is refused", f"{address}/good.tar.gz", "", "checksum", True)

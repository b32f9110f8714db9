"""The files of a release, taken by those who get them: an empty root folder, pip, pre-commit, twine, auditwheel and the SPDX
validator. They are assembled from the executable that is judged; with MUSTER_RELEASE=FOLDER a whole release is judged,
in Debian 12 and 13, too."""
import base64
import contextlib
import csv
import functools
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import tarfile
import threading
import time
import zipfile

from . import lib
from .actions import git
from .roots import debian, entered

TOOLS = lib.HERE / "release" / "requirements.txt"
PAGE = lib.CHECKOUT / "docs" / "how-to" / "install.md"
FAULTY = "#!/bin/bash\n#SBATCH --nodes=8\n#SBATCH --ntasks-per-node=8\n#SBATCH --gpus-per-node=8\nsrun torchrun --nproc_per_node=8 t.py\n"
# What the license of each component says in its first lines, as a person would look for it.
LICENSES = ("GCC RUNTIME LIBRARY EXCEPTION", "GNU LESSER GENERAL PUBLIC LICENSE", "GNU GENERAL PUBLIC LICENSE", "Version 3, 29 June 2007",
            "The ANTLR Project", "Niels Lohmann", "University of Cincinnati", "Theodore Ts'o")


# ---- the files -----------------------------------------------------------------------------------
def version():
    return re.search(r"project\(muster VERSION (\S+)", (lib.CHECKOUT / "CMakeLists.txt").read_text())[1]


def assembled(shop, name):
    folder = shop.folder / "release" / name
    stripped = shop.place("release/bin") / "muster"
    lib.run(["strip", "-o", stripped, shop.muster])
    done = lib.run([lib.CHECKOUT / "packaging" / "assemble", "--out", folder, "--commit", "0" * 40, "--time", "1790000000", f"amd64={stripped}"], timeout=300)
    return folder, done


def named(folder, suffix):
    return next((path for path in sorted(folder.iterdir()) if path.name.endswith(suffix)), folder / f"none{suffix}")


def judge_folder(report, folder):
    sums = lib.run(["sha256sum", "-c", "SHA256SUMS"], cwd=folder)
    report.check("SHA256SUMS is right", sums.returncode == 0, lib.says(sums))
    listed = {line.split()[1] for line in (folder / "SHA256SUMS").read_text().splitlines()}
    report.equal("and lists every file", listed, {path.name for path in folder.iterdir()} - {"SHA256SUMS"})
    text = (folder / "NOTICE").read_text()
    report.equal("NOTICE has the license of each component", [words for words in LICENSES if words not in text], [])
    archive = tarfile.open(named(folder, "linux-amd64.tar.gz"))
    members = {member.name.split("/", 1)[1]: member for member in archive.getmembers()}
    wanted = {"muster", "muster-comment", "LICENSE", "NOTICE", "CHANGELOG.md", "SECURITY.md", "completions/_muster", "man/man1/muster-lint.1"}
    report.check("the archive has executable, licenses, completions and pages", wanted <= set(members), sorted(members))
    report.equal("its owner is nobody in particular and it has no time", {(m.uid, m.gid, m.mtime, m.uname) for m in members.values()}, {(0, 0, 0, "")})
    report.check("the version of all names is that of CMakeLists.txt", all(f"-{version()}-" in path.name for path in folder.iterdir() if path.name.startswith("muster-")), list(folder.iterdir()))


# ---- what is linked in ---------------------------------------------------------------------------
def linked_archives(build):
    """The archives that the linker reads for the executable of this build folder."""
    commands = lib.run(["ninja", "-C", build, "-t", "commands", "muster"]).stdout.splitlines()
    link = re.search(r"(\S+/(?:c|g)\+\+ .*) -o muster (.*?)(?= &&|$)", commands[-1] if commands else "")
    if not link:
        return set()
    traced = lib.run(["sh", "-c", f"{link[1]} -o /dev/null -Wl,--trace {link[2]}"], cwd=build, timeout=120)
    return {os.path.realpath(found) for found in re.findall(r"^\(?(/\S+?\.(?:a|o))\b", traced.stdout, re.M)}


def judge_bill(report, shop, folder):
    bill = json.loads(named(folder, "linux-amd64.spdx.json").read_text())
    packages = {re.search(r"pkg:deb/debian/([^@]+)@", ref["referenceLocator"])[1].replace("%2B", "+") for entry in bill["packages"] for ref in entry.get("externalRefs", [])}
    build = lib.binary().parent
    if (build / "build.ninja").exists():
        outside = [path for path in linked_archives(build) if not path.startswith(str(build))]
        owners = {lib.run(["dpkg", "-S", path]).stdout.split(":")[0] for path in outside}
        report.check("each library that is linked in is in the SBOM", owners and owners <= packages, sorted(owners - packages))
    installed = {name: lib.run(["dpkg-query", "-W", "-f=${Version}", name]).stdout for name in packages}
    stated = {entry["externalRefs"][0]["referenceLocator"].split("/")[-1].split("@")[0].replace("%2B", "+"): entry["versionInfo"] for entry in bill["packages"] if "externalRefs" in entry}
    report.equal("with the version that is installed", stated, installed)


def valid_bill(shop, path):
    python = tools(shop)
    return lib.run([python.parent / "pyspdxtools", "-i", path], timeout=120)


def judge_tools(report, shop, folder):
    """twine, auditwheel and the SPDX validator, from the public index."""
    python = tools(shop)
    if not python:
        return report.skip("pypi", "twine, auditwheel and the SPDX validator", "they cannot be installed")
    for bill in sorted(folder.glob("*.spdx.json")):
        taken = valid_bill(shop, bill)
        report.check(f"the SPDX validator takes {bill.name}", taken.returncode == 0, lib.says(taken))
    for path in lib.broken_files("release", ".sed"):
        broken = shop.place("release/broken") / f"{path.stem}.spdx.json"
        broken.write_text(lib.mutation(path)(named(folder, "linux-amd64.spdx.json").read_text()))
        taken = valid_bill(shop, broken)
        lib.must_reject(report, path, lambda inner, taken=taken: inner.check("takes", taken.returncode == 0, lib.says(taken)))
    wheels = sorted(folder.glob("*.whl"))
    taken = lib.run([python.parent / "twine", "check", "--strict", *wheels], timeout=120)
    report.check("twine takes the wheels", taken.returncode == 0, lib.says(taken))
    shown = lib.run([python.parent / "auditwheel", "show", wheels[0]], timeout=120)
    report.check("auditwheel sees no library outside the policy", shown.returncode == 0 and ("any" in shown.stdout or "manylinux" in shown.stdout), lib.says(shown))


@functools.lru_cache(maxsize=1)
def tools(shop):
    folder = shop.place("release/tools")
    made = lib.run(["python3", "-m", "venv", folder], timeout=120)
    if made.returncode == 0:
        made = lib.run([folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "-r", TOOLS], timeout=900)
    return folder / "bin" / "python" if made.returncode == 0 else None


# ---- the executable and the wheel, installed -------------------------------------------------------
def finds(report, what, done):
    report.check(f"{what}: the first finding", done.returncode == 1 and "SLM001" in done.stdout + done.stderr, f"{done.returncode} {lib.says(done)}")


def judge_empty_root(report, shop, folder):
    root = shop.place("release/empty")
    with tarfile.open(named(folder, "linux-amd64.tar.gz")) as archive:
        member = next(member for member in archive.getmembers() if member.name.endswith("/muster"))
        (root / "muster").write_bytes(archive.extractfile(member).read())
    (root / "muster").chmod(member.mode)
    (root / "train.sbatch").write_text(FAULTY)
    finds(report, "alone in an empty root folder", lib.run(entered(root, "/muster", "lint", "/train.sbatch"), env={"PATH": "/usr/sbin:/usr/bin:/bin"}))


def judge_wheel(report, shop, folder):
    wheel = named(folder, "x86_64.whl")
    with zipfile.ZipFile(wheel) as archive:
        info = next(name for name in archive.namelist() if name.endswith("/RECORD"))
        rows = list(csv.reader(archive.read(info).decode().splitlines()))
        wrong = [row[0] for row in rows if row[0] != info and row[1:] != record_of(archive.read(row[0]))]
        report.check("RECORD has every file with its digest and size", not wrong and {row[0] for row in rows} == set(archive.namelist()), wrong)
    place, venv = shop.place("release/venv"), None
    (place / "train.sbatch").write_text(FAULTY)
    for python in dict.fromkeys(filter(None, (shutil.which("python3"), "/usr/bin/python3"))):
        venv = place / python.strip("/").replace("/", "-")
        made = lib.run([python, "-m", "venv", venv], timeout=120)
        if made.returncode != 0:
            report.skip("venv", f"the wheel in a venv of {python}", lib.says(made)[:100])
            continue
        begin = time.monotonic()
        put = lib.run([venv / "bin" / "pip", "install", "--no-index", "--disable-pip-version-check", wheel], timeout=120)
        report.check(f"pip of {python} installs the wheel ({time.monotonic() - begin:.1f} s)", put.returncode == 0, lib.says(put))
        finds(report, f"with {python}", lib.run([venv / "bin" / "muster", "lint", "train.sbatch"], cwd=place))
        said = lib.run([venv / "bin" / "python", "-c", "import importlib.metadata as m; print(m.version('muster'))"]).stdout.strip()
        report.equal("the metadata has the version", said, version())
        lib.run([venv / "bin" / "pip", "uninstall", "-y", "-q", "muster"])
        report.check("nothing is left after pip uninstall", not (venv / "bin" / "muster").exists() and not list(venv.glob("lib/*/site-packages/muster*")))
    for path in sorted(folder.glob("*.whl")):
        machine = "aarch64" if "aarch64" in path.name else "x86_64"
        for platform in (f"manylinux_2_17_{machine}", f"musllinux_1_1_{machine}"):
            words = ["download", "--no-index", "--find-links", folder, "--only-binary=:all:", "--platform", platform, "--dest", shop.place("release/download"), "muster"]
            got = lib.run([venv / "bin" / "pip", *words], timeout=60)
            report.check(f"pip takes {machine} for {platform}", got.returncode == 0, lib.says(got)[-200:])


def record_of(data):
    return ["sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("="), str(len(data))]


# ---- docs/how-to/install.md, line by line -----------------------------------------------------------------
@contextlib.contextmanager
def served(folder):
    """The address of a server of this folder."""
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


def home(shop, name, address):
    """An environment as that of somebody who begins: a home folder, a venv for pip, and the two variables of the page."""
    place = shop.place(f"release/{name}")
    lib.run(["python3", "-m", "venv", place / "venv"], timeout=120)
    return place, {"HOME": str(place), "PATH": f"{place}/venv/bin:/usr/bin:/bin", "RELEASE": address, "VERSION": version(), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def judge_page(report, shop, folder):
    with served(folder) as address:
        place, env = home(shop, "page", address)
        for block in blocks("bash"):
            begin = time.monotonic()
            done = lib.run(["bash", "-eu", "-c", block], cwd=place, env=env, timeout=120)
            report.check(f"docs/how-to/install.md: `{block.splitlines()[0][:60]}…` ({time.monotonic() - begin:.1f} s)", done.returncode == 0, lib.says(done))
        report.check("the executable is there", (place / ".local" / "bin" / "muster").exists())
        report.check("completion and page are there", all((place / ".local/share" / name).stat().st_size > 1000 for name in ("bash-completion/completions/muster", "man/man1/muster-lint.1")))
        tampered = shop.place("release/tampered")
        shutil.copytree(folder, tampered, dirs_exist_ok=True)
        with named(tampered, "linux-amd64.tar.gz").open("ab") as archive:
            archive.write(b"x")
    with served(tampered) as address:
        place, env = home(shop, "tampered-page", address)
        done = lib.run(["bash", "-eu", "-c", blocks("bash")[0]], cwd=place, env=env, timeout=60)
        report.check("docs/how-to/install.md: a changed archive is not installed", done.returncode != 0 and not (place / ".local").exists(), lib.says(done))


def judge_pre_commit(report, shop, folder):
    python = tools(shop)
    if not python:
        return report.skip("pypi", "pre-commit through the wheel", "pre-commit cannot be installed")
    wheel = named(folder, "x86_64.whl")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    repository = shop.place("release/hooked")
    git(repository, "init", "-q")
    (repository / "job.sbatch").write_text(FAULTY)
    (repository / "a.muster").write_text('workload a  {\nkind=train\n command = ["./a"]\n}\n')

    def hooked(address, checksum, hook, cache):
        text = blocks("yaml")[0].replace("RELEASE", address).replace("VERSION", version()).replace("CHECKSUM", checksum)
        (repository / ".pre-commit-config.yaml").write_text(text)
        git(repository, "add", "-A")
        env = {**os.environ, "PRE_COMMIT_HOME": str(shop.place(f"release/{cache}"))}
        return lib.run([python.parent / "pre-commit", "run", hook, "--all-files"], cwd=repository, env=env, timeout=600)

    with served(folder) as address:
        done = hooked(address, digest, "muster-lint", "pre-commit")
        report.check("pre-commit through the wheel: the first finding", done.returncode == 1 and "SLM001" in done.stdout, lib.says(done)[-400:])
        done = hooked(address, digest, "muster-fmt", "pre-commit")
        report.check("pre-commit through the wheel: the format hook", done.returncode == 1 and "files were modified" in done.stdout, lib.says(done)[-400:])
        done = hooked(address, "0" * 64, "muster-lint", "pre-commit-wrong")
        report.check("pre-commit: a wrong checksum is refused", done.returncode not in (0, 1) and "hash" in lib.says(done).lower(), f"{done.returncode} {lib.says(done)[-400:]}")


# ---- by hand: a whole release, in Debian -----------------------------------------------------------
def judge_debian(report, shop, folder):
    for suite in ("bookworm", "trixie"):
        root = debian(report, shop, suite, ("python3", "python3-venv"))
        if not root:
            continue
        wheel, archive = named(folder, "x86_64.whl"), named(folder, "linux-amd64.tar.gz")
        for path in (wheel, archive):
            shutil.copy2(path, root / "root")
        (root / "root" / "train.sbatch").write_text(FAULTY)
        steps = {"the archive": f"cd /root && tar -xzf {archive.name} && ./muster-*/muster lint train.sbatch",
                 "the wheel": f"cd /root && python3 -m venv v && v/bin/pip install -q --no-index {wheel.name} && v/bin/muster lint train.sbatch"}
        for what, step in steps.items():
            begin = time.monotonic()
            done = lib.run(entered(root, "/bin/sh", "-c", step), env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}, timeout=120)
            finds(report, f"Debian {suite}, {what} ({time.monotonic() - begin:.1f} s)", done)


def judge(report, shop):
    whole = os.environ.get("MUSTER_RELEASE")
    if whole:
        folder = pathlib.Path(whole).resolve()
    else:
        folder, done = assembled(shop, "one")
        if not report.check("the files are assembled", done.returncode == 0, lib.says(done)):
            return
        again, done = assembled(shop, "two")
        report.equal("a second time: the same bytes", (again / "SHA256SUMS").read_text(), (folder / "SHA256SUMS").read_text())
        judge_bill(report, shop, folder)
    judge_folder(report, folder)
    judge_empty_root(report, shop, folder)
    judge_wheel(report, shop, folder)
    judge_page(report, shop, folder)
    judge_tools(report, shop, folder)
    judge_pre_commit(report, shop, folder)
    if whole:
        judge_debian(report, shop, folder)

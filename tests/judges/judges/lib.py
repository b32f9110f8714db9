"""What every judge needs: the report, a workshop folder, and muster itself."""
import contextlib
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent.parent
CHECKOUT = HERE.parent.parent
PORTS = 80  # for one Slurm: the controller's and one for each node


class Report:
    """Counts and prints checks. A quiet one only counts: for files that must be rejected."""

    def __init__(self, quiet=False):
        self.quiet = quiet
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.started = None
        self.strict = os.environ.get("CI") == "true"

    def section(self, name):
        self.say(f"# {name}")

    def say(self, line):
        if not self.quiet:
            print(line.encode("utf-8", "backslashreplace").decode(), flush=True)

    def check(self, what, good, detail=""):
        if good:
            self.passed += 1
            self.say(f"ok   {what}")
            return True
        self.failed += 1
        self.failures.append(f"{what}: {detail}")
        text = " ".join(str(detail).split())
        self.say(f"FAIL {what}{': ' + text[:600] if text else ''}")
        return False

    def equal(self, what, got, want):
        return self.check(what, got == want, f"got {shown(got)}, want {shown(want)}")

    def skip(self, system, what, reason):
        """A skip is a failure in CI, unless the file SKIP names the system."""
        if self.strict and system not in allowed_skips():
            return self.check(what, False, f"skipped: {reason}")
        self.skipped += 1
        self.say(f"skip {what}: {reason}")
        return False

    def take(self, other):
        """Adds what a quiet report counted elsewhere and prints its lines."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures
        for line in getattr(other, "lines", []):
            self.say(line)


class Lines(Report):
    """Keeps its lines for later: one for each thread."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def say(self, line):
        self.lines.append(line)


def shown(value, most=200):
    """A value short enough for one line: where two long ones differ matters more than all of them."""
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"


def allowed_skips():
    lines = (HERE / "SKIP").read_text().splitlines()
    return {line.split(None, 1)[0].rstrip(":") for line in lines if line.strip() and not line.startswith("#")}


def guarded(report, name, work, *args):
    """A judge that breaks down has not judged: that is a failure."""
    try:
        work(report, *args)
    except Exception as error:  # noqa: BLE001
        traceback.print_exc(file=sys.stderr)
        report.check(f"{name} ran to its end", False, f"{type(error).__name__}: {error}")


def run(command, timeout=60, **options):
    """The ended process; a time-out counts as exit status 124."""
    options.setdefault("stdin", subprocess.DEVNULL)
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="surrogateescape", timeout=timeout, **options)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"no end after {timeout} s")


def arguments(report):
    """For the parameters that the report of an import has: what its script is given, and the options that give the same to its workload."""
    words, options = [], []
    for parameter in report.get("parameters", []):
        places = [1, 2, 3] if parameter["list"] else [int(parameter["of"][1:])]
        words = [str(place) for place in range(1, places[-1] + 1)]
        options += ["--set", f"{parameter['name']}={json.dumps(words) if parameter['list'] else words[-1]}"]
    return words, options


def says(process):
    return (process.stdout + process.stderr).strip()


def until(ready, seconds, pause=0.1):
    """The first true answer of `ready`, or its last one."""
    end = time.monotonic() + seconds
    while True:
        answer = ready()
        if answer or time.monotonic() > end:
            return answer
        time.sleep(pause)


def binary():
    if os.environ.get("MUSTER"):
        return pathlib.Path(os.environ["MUSTER"]).resolve()
    for kind in ("release", "debug"):
        if (CHECKOUT / "build" / kind / "muster").exists():
            return CHECKOUT / "build" / kind / "muster"
    sys.exit("no muster: build it, or set MUSTER to its path")


def sandbox_folder():
    """The folder that brings up a Slurm controller, or None."""
    shared = pathlib.Path(os.environ.get("MUSTER_SHARED") or CHECKOUT.parent / "shared").resolve()
    folder = shared / "slurm-sandbox"
    return folder if (folder / "up.sh").exists() else None


def copy_program(source, target):
    """A copy that may be run at once. A process of its own writes it: a child that another thread forks meanwhile would
    hold a file that this process writes, and what is being written cannot be run ("Text file busy")."""
    subprocess.run(["cp", "--preserve=mode", str(source), str(target)], check=True)


class Workshop:
    """A temporary folder and a copy of muster, so that a rebuild meanwhile changes nothing."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-judge-"))
        self.folder.chmod(0o755)
        self.muster = self.folder / "muster"
        copy_program(binary(), self.muster)
        self.closing = contextlib.ExitStack()
        # Below the ports that systems give to clients; another start for judges that run at the same time.
        self.ports = itertools.count(10000 + os.getpid() % 8 * 2500, PORTS)
        return self

    def __exit__(self, *_):
        self.closing.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def place(self, name):
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def ask(self, *words):
        return run([self.muster, *words])


def broken_files(judge, suffix):
    return sorted((HERE / "broken" / judge).glob(f"*{suffix}"))


def mutation(path):
    """The edit of a `.sed` file: lines `s<TAB>REGEX<TAB>REPLACEMENT`, each of which must match."""
    edits = [line.split("\t")[1:] for line in path.read_text().splitlines() if line.startswith("s\t")]
    def rewrite(text):
        for pattern, replacement in edits:
            text, count = re.subn(pattern, replacement, text, flags=re.M)
            if not count:
                raise ValueError(f"{path.name}: nothing matches {pattern}")
        return text
    return rewrite


def must_reject(report, path, judged):
    """`judged` gets a quiet report. The file's `# says:` line is what the judge has to object to."""
    inner = Report(quiet=True)
    judged(inner)
    wanted = re.search(r"^# says: (.+)$", path.read_text(), re.M)
    objections = " ".join(inner.failures)
    name = f"rejects broken/{path.parent.name}/{path.name}"
    if not inner.failed:
        return report.check(name, False, "the judge accepted it")
    return report.check(name, wanted and re.search(wanted[1], objections, re.S), f"for another reason than `{wanted and wanted[1]}`: {objections}")

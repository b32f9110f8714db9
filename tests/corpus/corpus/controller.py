"""A controller that knows the names of a batch of scripts, and is asked what it makes of each."""
import contextlib
import itertools
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from judges import cases, lib, sandbox

from . import record

FIRST_PORT = 55000
NOT_UP = "the sandbox of MUSTER_SHARED is needed; see tests/judges/README.md"


class Place:
    """A folder for controllers and what they are given; removed at the end."""

    def __init__(self, below=None, port=FIRST_PORT):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-corpus-", dir=below)).resolve()
        self.folder.chmod(0o755)
        self.ports = itertools.count(port, lib.PORTS)
        self.closing = contextlib.ExitStack()
        for number in (signal.SIGTERM, signal.SIGINT):  # controllers are not left behind
            signal.signal(number, lambda *_: sys.exit(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.closing.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Controller:
    def __init__(self, place, needs):
        if not lib.sandbox_folder():
            sys.exit(NOT_UP)
        self.place = place
        settings = place.folder / "corpus.conf"
        settings.write_text(needs.configuration())
        self.cluster = sandbox.Cluster(place, "cluster", cases.Fleet(1, 1, "zz"),
                                       options=("--topology", "none", "--timeout", "10", "--conf", settings))
        self.cwd = place.folder / "cwd"
        self.cwd.mkdir(exist_ok=True)
        self.reservations = needs.reservations

    def __enter__(self):
        if error := self.cluster.up():
            raise RuntimeError(f"no controller: {error[-2000:]}")
        self.cluster.run("scontrol", "update", "NodeName=zz1", "State=DOWN", "Reason=corpus")
        for name in sorted(self.reservations):
            self.cluster.run("scontrol", "create", "reservation", f"ReservationName={name}", "Users=root", "StartTime=now+365days",
                             "Duration=UNLIMITED", "Nodes=ALL", "Flags=OVERLAP,IGNORE_JOBS")
        return self

    def __exit__(self, *_):
        self.cluster.down()

    def judge(self, file):
        """{"record": [one a component]} or {"refused": what sbatch said}."""
        number, said = self.submit(file)
        if not number:
            return {"refused": objection(said)}
        shown = self.cluster.run("scontrol", "show", "job", number).stdout
        self.cluster.run("scancel", number)
        return {"record": record.components(shown, said, self.cwd)}

    def submit(self, file):
        """The job's number, or "", and what sbatch said. A script may ask sbatch to wait for its end: it is not waited for."""
        with tempfile.TemporaryFile("w+", errors="surrogateescape") as errors:
            sbatch = subprocess.Popen(["sbatch", "-v", "--parsable", file], cwd=self.cwd, env=self.cluster.environment,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True)
            watch = threading.Timer(15, sbatch.kill)
            watch.start()
            first = sbatch.stdout.readline()
            if number := re.match(r"\d+", first):
                sbatch.kill()
            sbatch.communicate()
            watch.cancel()
            errors.seek(0)
            return number[0] if number else "", errors.read()


def objection(said):
    """sbatch's complaint without the table of options that -v prints."""
    lines = [line for line in said.splitlines() if re.match(r"sbatch: (error|fatal):|sbatch: (invalid|unrecognized)", line)]
    return "; ".join(re.sub(r"^sbatch: (error: |fatal: )?", "", line) for line in lines)[:500] or said.strip()[-300:] or "no answer"


def arguments(parser):
    parser.add_argument("--port", type=int, default=FIRST_PORT, help=f"first TCP port to try (default {FIRST_PORT})")
    parser.add_argument("--dir", type=pathlib.Path, help="where controllers are made (default: the temporary folder)")

"""muster, as the corpus uses it."""
import dataclasses
import json
import pathlib

from judges import lib

LIMIT = 2  # seconds a file: what takes longer hangs


@dataclasses.dataclass
class Written:
    """What `muster import` and `muster compile` made of one script, or the step that failed and what it said."""
    failed: str = ""
    said: str = ""
    report: dict = dataclasses.field(default_factory=dict)
    losses: list = dataclasses.field(default_factory=list)
    file: pathlib.Path | None = None


class Muster:
    def __init__(self, place):
        self.binary = place.folder / "muster"  # a copy, so that a rebuild meanwhile changes nothing
        lib.copy_program(lib.binary(), self.binary)

    def run(self, *words, timeout=LIMIT):
        return lib.run([self.binary, *words], timeout=timeout)

    def round(self, script, folder):
        """Imports the script and compiles what came of it, in a folder of its own."""
        out = self.imported(script, folder)
        return out if out.failed else self.compiled(out.report, folder, lib.arguments(out.report)[1])

    def imported(self, script, folder):
        """What import made of the script, without a file."""
        done = self.run("import", script.file, "-o", folder, "--format", "json", "--diagnostics", "short")
        if done.returncode != 0:
            return Written(fault("import", done), done.stderr.strip())
        report = json.loads(done.stdout)["scripts"][0]
        return Written(report=report) if report["imported"] else Written("import", done.stderr.strip(), report)

    def compiled(self, report, folder, values, out=None):
        """The script for the workload that was written, in `out`; `values` are options that give its parameters."""
        out = out or folder
        target = "ray-on-slurm" if report.get("launcher", "").startswith("Ray, ") else "slurm"
        done = self.run("compile", folder / report["written"], "--site", folder / "site.muster", "--target", target,
                        "--loss", "json", "--diagnostics", "short", "-o", out, *values)
        if done.returncode != 0:
            return Written(fault("compile", done), done.stderr.strip(), report)
        losses = json.loads((out / "loss.json").read_text()) if (out / "loss.json").exists() else []
        return Written(report=report, losses=losses, file=next(out.glob("*.sbatch")))


def fault(step, process):
    """The step that failed; a crash or a hang by its own name."""
    if process.returncode == 124:
        return f"{step} hangs"
    return f"{step} crashes" if process.returncode < 0 or process.returncode > 2 else step

"""muster, as the corpus uses it."""
import dataclasses
import json
import pathlib
import shutil

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
        shutil.copy2(lib.binary(), self.binary)

    def run(self, *words, timeout=LIMIT):
        return lib.run([self.binary, *words], timeout=timeout)

    def round(self, script, folder):
        """Imports the script and compiles what came of it, in a folder of its own."""
        imported = self.run("import", script.file, "-o", folder, "--format", "json", "--diagnostics", "short")
        if imported.returncode != 0:
            return Written(fault("import", imported), imported.stderr.strip())
        report = json.loads(imported.stdout)["scripts"][0]
        out = Written(report=report)
        if not report["imported"]:
            return dataclasses.replace(out, failed="import", said=imported.stderr.strip())
        target = "ray-on-slurm" if report.get("launcher", "").startswith("Ray, ") else "slurm"
        compiled = self.run("compile", folder / report["written"], "--site", folder / "site.muster", "--target", target,
                            "--loss", "json", "--diagnostics", "short", "-o", folder, *lib.arguments(report)[1])
        if compiled.returncode != 0:
            return dataclasses.replace(out, failed=fault("compile", compiled), said=compiled.stderr.strip())
        out.file = next(folder.glob("*.sbatch"))
        if (folder / "loss.json").exists():
            out.losses = json.loads((folder / "loss.json").read_text())
        return out


def fault(step, process):
    """The step that failed; a crash or a hang by its own name."""
    if process.returncode == 124:
        return f"{step} hangs"
    return f"{step} crashes" if process.returncode < 0 or process.returncode > 2 else step

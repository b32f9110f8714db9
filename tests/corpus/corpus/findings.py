"""What `muster lint` finds, as records."""
import dataclasses
import json
import pathlib
import sys

from . import tool

ALL = 600  # seconds for a whole folder


@dataclasses.dataclass(frozen=True)
class Finding:
    blob: str
    rule: str
    severity: str
    verdict: str  # "wrong", or "unclear" where the file alone cannot tell
    message: str
    line: int
    begin: int  # bytes of the file
    end: int
    path: str  # the option or the field it is about
    file: str

    def surely(self, severity):
        return self.severity == severity and self.verdict == "wrong"


def of(muster, folder, paths, *options, blobs=None):
    """The findings in these files and folders, found by one process. A crash ends the run. `blobs` has the blob id of each file that is not named after it."""
    report = folder / "findings.json"
    ended = muster.run("lint", "-o", f"json={report}", "-q", "--exit-zero", *options, *paths, timeout=ALL)
    if ended.returncode not in (0, 2) or not report.exists():  # 2: some file cannot be used, and the report says which
        sys.exit(f"{tool.fault('lint', ended)}: {ended.stderr[-2000:]}")
    return [finding(each, blobs or {}) for each in json.loads(report.read_text())["findings"]]


def finding(each, blobs):
    place = each["at"] or {"file": each["key"].split("|")[1], "line": 1, "begin": 0, "end": 0}
    blob = blobs.get(str(pathlib.Path(place["file"]).resolve()), pathlib.Path(place["file"]).stem)
    return Finding(blob, each["rule"], each["severity"], each["verdict"], each["message"], place["line"], place["begin"],
                   place["end"], each["path"], place["file"])


def rules(muster):
    """The catalogue: name by id."""
    listed = muster.run("lint", "--rules").stdout
    return dict(line.split()[:2] for line in listed.splitlines() if len(line.split()) > 1 and line[:3].isupper())


def in_preview(muster):
    """The rules that are not known to be precise."""
    return {line.split()[0] for line in muster.run("lint", "--rules").stdout.splitlines() if line.endswith("(preview)")}

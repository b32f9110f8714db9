"""The chart of `muster review --mermaid`, read by Mermaid itself: it is one flowchart, and hostile names are texts of it."""
import json
import re
import shutil

from . import lib

TOOLS = lib.HERE / "charts"
POLICY = lib.CHECKOUT / "tests" / "golden" / "cases" / "review-policy"
NAMES = ('"] --> x["', "a`b;c%%d", "{e}<script>|f|", "end", "#quot;#35;", "click w0 href", "g\\n-->h", "```", "ü—ñ")
SPEC = 'workload w { kind = batch  command = ["true"]  time-limit = 1h }\n'


def hostile_trees(folder):
    (folder / "old").mkdir()
    for name in NAMES:
        (folder / "new" / name).mkdir(parents=True)
        (folder / "new" / name / "w.muster").write_text(SPEC)
    return folder / "old", folder / "new"


def reader(report, shop):
    if not shutil.which("npm"):
        return report.skip("npm", "charts", "npm is not installed")
    folder = shop.place("charts/node")
    for file in TOOLS.iterdir():
        shutil.copy2(file, folder)
    made = lib.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], timeout=300, cwd=folder)
    if made.returncode != 0:
        return report.skip("mermaid", "charts", f"Mermaid cannot be installed: {lib.says(made)[:200]}")
    def read(files):
        done = lib.run(["node", "parse.mjs", *map(str, files)], timeout=120, cwd=folder)
        return [json.loads(line) for line in done.stdout.splitlines()]
    return read


def chart_of(comment):
    found = re.findall(r"^```mermaid\n(.*?)^```$", comment, re.S | re.M)
    return found[0] if len(found) == 1 else None


def judge(report, shop):
    read = reader(report, shop)
    if not read:
        return
    place = shop.place("charts/files")
    trees = {"policy": (POLICY / "base", POLICY / "head"), "hostile": hostile_trees(shop.place("charts/trees"))}
    files = {}
    for label, (base, head) in trees.items():
        asked = shop.ask("review", base, head, "--format", "markdown", "--mermaid", "-q")
        chart = chart_of(asked.stdout)
        if report.check(f"the comment of {label} has one chart", chart, lib.says(asked)):
            files[label] = place / f"{label}.mmd"
            files[label].write_text(chart)
    said = dict(zip(files, read(files.values())))
    for label, answer in said.items():
        report.check(f"Mermaid reads the chart of {label}", answer["ok"], answer)
    if said.get("policy", {}).get("ok"):
        report.equal("the policy's chart has two workloads and two places", (len(said["policy"]["nodes"]), said["policy"]["edges"]), (4, 4))
    if said.get("hostile", {}).get("ok"):
        report.equal("of hostile names each is one node", (len(said["hostile"]["nodes"]), said["hostile"]["edges"]), (len(NAMES) + 1, len(NAMES)))
        shown = {re.sub(r"#(\d+);|ﬂ°°(\d+)¶ß", lambda m: chr(int(m[1] or m[2])), text) for text in said["hostile"]["nodes"]}
        report.check("hostile names are shown as they are spelt", {f"{name}/w" for name in NAMES} <= shown, sorted(shown))
    broken = lib.broken_files("charts", ".mmd")
    for path, answer in zip(broken, read(broken)):
        report.check(f"rejects broken/charts/{path.name}", not answer["ok"], answer)

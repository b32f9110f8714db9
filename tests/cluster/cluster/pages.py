"""What the pages of the documents tell people to write: each workload at each site of pods of its page that has a fleet,
for every target that takes it, on nodes as they are."""
import re

from .examples import CHECKOUT, Case, at_site, yaml_targets
from .fleet import Site, read

FOLDERS = ("docs/how-to", "docs/tutorials")
FILE = re.compile(r"^cat > (\S+\.muster) <<'EOF'\n(.*?)\nEOF$", re.MULTILINE | re.DOTALL)


def run(lab, report, muster, gangs, names=()):
    """`names`: only pages whose names hold one of these words."""
    for page in sorted(path for folder in FOLDERS for path in (CHECKOUT / folder).glob("*.md")):
        if names and not any(name in page.stem for name in names):
            continue
        documents = {path: read(muster, path) for path in written(lab, page)}
        specs = [path for path, document in documents.items() if "workload" in document]
        for path, document in documents.items():
            if is_of_pods(document):
                site = Site(muster, path)
                if site.gang in gangs:
                    at_site(lab, report, site, [Case(spec, site, target) for spec in specs for target in yaml_targets(lab)])


def written(lab, page):
    """The files of the page, in a folder of its own."""
    folder = lab.folder / "pages" / page.stem
    for name, text in FILE.findall(page.read_text()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
        yield path


def is_of_pods(document):
    for site in document.get("site", {}).values():
        if "fleet" in site and any(plane["kind"] in ("kubernetes", "k3s") for plane in site.get("plane", {}).values()):
            return True
    return False

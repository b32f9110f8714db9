"""The specs: workloads with the site they are for, as this folder and examples/ hold them."""
import dataclasses
import json
import pathlib
import re

from . import lib

SPECS = lib.HERE / "specs"
EXAMPLES = lib.CHECKOUT / "examples"


@dataclasses.dataclass
class Fleet:
    """What the sandbox is told to be; the site's fleet says the same."""
    nodes: int = 64
    leaf: int = 8
    prefix: str = "n"

    def hosts(self):
        width = len(str(self.nodes))
        return f"{self.prefix}[{1:0{width}d}-{self.nodes}]"


@dataclasses.dataclass
class Case:
    """One workload at one site."""
    name: str
    spec: pathlib.Path
    site: str
    expected: dict
    refused: str = ""  # what is said of a workload that Slurm cannot take

    @property
    def label(self):
        return self.name if self.site in ("example", "plain", "public") else f"{self.name}@{self.site}"


def spec_text(path):
    """A line `# filler N` stands for N bytes of comment: a long script in a short file."""
    def fill(match):
        line = match[1] + "# " + "-" * 60 + "\n"
        return line * (int(match[2]) // len(line) + 1)
    return re.sub(r"^( *)# filler (\d+)\n", fill, path.read_text(), flags=re.M)


def header(text, word):
    return re.findall(rf"^# {word}: *(.*)$", text, re.M)


def expectations(lines):
    pairs = [line.partition(" = ") for line in lines]
    return {name.strip(): value.strip() for name, _, value in pairs}


def own_cases(folder=SPECS):
    for path in sorted(folder.glob("*.muster")):
        text = path.read_text()
        for site in (header(text, "site") or ["plain"])[0].split():
            yield Case(path.stem, path, site, expectations(header(text, "scontrol")))


def example_cases():
    known = json.loads((SPECS / "examples.json").read_text())
    for path in sorted((EXAMPLES / "workloads").glob("*.muster")):
        expected = dict(known.get(path.stem, {}))
        yield Case(path.stem, path, "example", expected, refused=expected.pop("refused", ""))


def public_cases():
    """Workloads of public repositories, at a site of their own."""
    for path in sorted((EXAMPLES / "public").glob("*.muster")):
        if path.stem != "site":
            yield Case(path.stem, path, "public", {})


def all_cases():
    return [*example_cases(), *own_cases()]


def site_text(site, root, fleet=Fleet(), version="22.05"):
    """The site's file with `/shared` as a real folder, this fleet's nodes, this version of Slurm."""
    if site == "public":
        text = as_large_as_the_sandbox((EXAMPLES / "public" / "site.muster").read_text())
    elif site == "example":
        text = (EXAMPLES / "sites" / "slurm.muster").read_text()
    else:
        text = (SPECS / "sites" / f"{site}.muster").read_text()
        if not header(text, "no fleet"):
            text += (SPECS / "sites" / "fleet.part").read_text()
    text = re.sub(r'version\s*=\s*"22\.05"', f'version = "{version}"', text)
    text = text.replace('"n[01-64]"', f'"{fleet.hosts()}"').replace("leaf-size = 8", f"leaf-size = {fleet.leaf}")
    return at_root(text, root)


def as_large_as_the_sandbox(text):
    """Its nodes have fewer cores than those that some public workloads are for, and no disk."""
    text = re.sub(r"cpus( *)= (\d+)", lambda found: f"cpus{found[1]}= {min(int(found[2]), 112)}", text)
    return re.sub(r"disk *= \d+\w+", "", text)


def at_root(text, root):
    return text.replace("/shared", str(root))


class Bench:
    """Compiles cases into one folder, for one fleet and one version of Slurm."""

    def __init__(self, shop, name, fleet=Fleet(), version="22.05"):
        self.shop, self.folder, self.fleet, self.version = shop, shop.place(name), fleet, version
        self.root = shop.place(f"{name}/shared")

    def files(self, case, edit=None, site_edit=None):
        """The workload and the site as files, with this bench's paths in them."""
        spec = self.folder / f"{case.label}.muster"
        site = self.folder / f"{case.label}.site.muster"
        text = at_root(spec_text(case.spec), self.root)
        text = as_large_as_the_sandbox(text) if case.site == "public" else text
        site_words = site_text(case.site, self.root, self.fleet, self.version)
        spec.write_text(edit(text) if edit else text)
        site.write_text(site_edit(site_words) if site_edit else site_words)
        return spec, site

    def ask(self, verb, case, *words, edit=None, site_edit=None):
        spec, site = self.files(case, edit, site_edit)
        return self.shop.ask(verb, spec, "--site", site, "--root", self.folder, *words)

    def compile(self, report, case, *words, edit=None, site_edit=None):
        """The path of the emitted sbatch file, or None: a failure, or the refusal that is expected."""
        done = self.ask("compile", case, *words, edit=edit, site_edit=site_edit)
        if case.refused:
            says = lib.says(done)
            report.check(f"{case.label} is refused", done.returncode == 1 and case.refused in says, says)
            return None
        path = self.folder / f"{case.label}.sbatch"
        path.write_bytes(done.stdout.encode("utf-8", "surrogateescape"))
        if done.returncode != 0:
            report.check(f"{case.label} compiles", False, lib.says(done))
            return None
        return path

    def fit(self, case, edit=None, site_edit=None):
        done = self.ask("fit", case, "--format", "json", edit=edit, site_edit=site_edit)
        return json.loads(done.stdout) if done.stdout.startswith("{") else {"verdict": "none", "text": lib.says(done)}


# ---- what a spec says, read without muster -------------------------------------------------

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "$": "$"}


def text_value(literal):
    """The string that "…" or '…' means."""
    if literal[0] == "'":
        return literal[1:-1]
    return re.sub(r"\\(?:u\{([0-9a-fA-F]+)\}|(.))", lambda m: chr(int(m[1], 16)) if m[1] else ESCAPES[m[2]], literal[1:-1])


LITERAL = r"""("(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""


def texts(spec, key):
    """The list of texts that a key of the spec has."""
    found = re.search(rf"(?:^|[\s{{]){key}\s*=\s*\[((?:\s|,|#[^\n]*\n|{LITERAL})*)\]", spec, re.M)
    return [text_value(m) for m in re.findall(LITERAL, found[1])] if found else []


def environment(spec):
    """The texts of the env block."""
    block = re.search(r"^\s*env\s*\{(.*?)^\s*\}", spec, re.M | re.S)
    return {name: text_value(value) for name, value in re.findall(rf"(\w+)\s*=\s*{LITERAL}", block[1])} if block else {}


def heredoc(spec, key):
    """The bytes of a heredoc: the indentation of its closing line is not part of them."""
    found = re.search(rf"^\s*{key}\s*=\s*<<<\w*\n(.*?)^( *)>>>$", spec, re.M | re.S)
    return re.sub(rf"^ {{{len(found[2])}}}", "", found[1], flags=re.M)

"""The jobs of this folder, and a program's call as the judges compare it: which program, with which words, and what its
launcher was told, by options or by variables."""
import dataclasses
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
# What torchrun is told: its option, its variable.
TOLD = {"nnodes": "PET_NNODES", "nproc-per-node": "PET_NPROC_PER_NODE"}
# Further options of torchrun, which say where the others are and what becomes of a failure.
OTHERS = ("node-rank", "master-addr", "master-port", "rdzv-backend", "rdzv-id", "rdzv-endpoint", "max-restarts", "standalone")


@dataclasses.dataclass(eq=False)  # each is itself
class Job:
    file: str          # by hand
    workload: str      # the spec: a name of this folder, else of examples/workloads
    site: str          # a site of this folder, else of examples/sites
    target: str
    documentation: str  # the closest example of the system's own documentation
    lines: int         # that it has, without comments and blank lines
    more: list         # [[lines, why]]: what this file has beyond it
    most: float = 1.25  # times as many lines that muster's file may have

    @property
    def path(self):
        return HERE / "jobs" / self.file

    @property
    def spec(self):
        own = HERE / "jobs" / f"{self.workload}.muster"
        return own if own.exists() else EXAMPLES / "workloads" / f"{self.workload}.muster"

    @property
    def is_pods(self):
        """A manifest of Kubernetes; a task of SkyPilot is YAML too."""
        return self.path.suffix == ".yaml" and "\napiVersion: " in "\n" + self.path.read_text()

    @property
    def site_path(self):
        own = HERE / "jobs" / f"{self.site}.site.muster"
        return own if own.exists() else EXAMPLES / "sites" / f"{self.site}.muster"


def jobs():
    return [Job(**row) for row in json.loads((HERE / "jobs.json").read_text())]


def variables(job):
    """The names in the `env` of its spec."""
    blocks = re.findall(r"\benv +\{(.*?)\}", job.spec.read_text(), re.S)
    return set(re.findall(r"(\w+) += ", "\n".join(blocks)))


def lines(text):
    """Without comments and blank lines; `#!` and directives are lines."""
    return [line for line in text.splitlines() if line.strip() and not re.match(r"\s*#(?!!|SB|PBS|BSUB)", line) and line != "---"]


def program(argv, env):
    """(program, what its launcher was told, words) of a call."""
    name, words = pathlib.PurePath(argv[0]).name, list(argv[1:])
    if name == "ray" and words[:1] == ["start"]:
        return name, {}, ("start", "--head" if "--head" in words else "--address")
    if name != "torchrun":
        return name, {}, tuple(words)
    told = {"nnodes": "1"} | {option: env[variable] for option, variable in TOLD.items() if variable in env}
    while words and words[0].startswith("--"):
        option, equals, value = words.pop(0)[2:].partition("=")
        option = option.replace("_", "-")
        if option not in TOLD and option not in OTHERS:
            raise ValueError(f"torchrun has an option --{option} that is not known here")
        if not equals and option != "standalone":
            value = words.pop(0)
        if option in TOLD:
            told[option] = value
    return name, told, tuple(words)

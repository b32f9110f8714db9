"""Tasks of brokers: read by their own parsers, and their text run on every node beside the batch script of the same spec.

The parser is the broker's, of the pinned release. What a node starts is made by the broker's own code around the text; the programs in it are stubs
that write down how they were called. Slurm's side is the batch script, with a stub of `srun` that starts the processes of a step."""
import dataclasses
import json
import os
import re
import stat
import sys

from . import cases, lib, pods

HERE = lib.HERE / "brokers"
COMPARED = 15  # specs that both a broker and Slurm take, at least


@dataclasses.dataclass(frozen=True)
class Broker:
    name: str     # in reports
    target: str
    release: str  # of PyPI
    reader: str   # runs its code
    suffix: str   # of its files
    site: str     # in this folder
    example: str  # in examples/sites


BROKERS = (Broker("SkyPilot", "skypilot", "skypilot==0.14.1", "sky_read.py", "skypilot.yaml", "sky", "sky"),
           Broker("dstack", "dstack", "dstack[server]==0.22.5", "dstack_read.py", "dstack.yml", "dstack", "dstack"))

# They name things of the plane, and what only one side sets.
OF_THE_PLANE = ("MUSTER_ID", "MUSTER_ATTEMPT", "MUSTER_NODE_ADDR", "MUSTER_HEAD_ADDR", "MUSTER_PORT", "MUSTER_DIR", "MUSTER_TMP", "MUSTER_HOSTFILE", "MUSTER_MEMORY_MB", "MUSTER_CPUS",
                "PET_MASTER_ADDR", "PET_MASTER_PORT", "MASTER_ADDR", "MASTER_PORT", "PET_NODE_RANK", "PET_RDZV_BACKEND", "PET_RDZV_ID", "PET_RDZV_ENDPOINT")
OURS = ("MUSTER_", "PET_", "RANK", "LOCAL_RANK", "WORLD_SIZE")
# Options of torchrun and accelerate by which the nodes meet; the number of a node is asked of the broker's alone.
MEETING = re.compile(r"--(rdzv[-_]|node[-_]rank|master[-_]|standalone|machine_rank|main_process_)")
PROGRAMS = ("probe", "torchrun", "accelerate", "python3", "train")

SRUN = "#!" + sys.executable + r"""
import os, subprocess, sys
words, options = sys.argv[1:], {}
while words and words[0].startswith("-"):
    name, _, value = words.pop(0).partition("=")
    options[name] = value
nodes = int(options.get("--nodes") or os.environ["SLURM_JOB_NUM_NODES"])
each = int(options.get("--ntasks-per-node") or 1)
started = []
for i in range(nodes):
    for j in range(each):
        env = {**os.environ, "SLURM_NODEID": str(i), "SLURM_PROCID": str(i * each + j), "SLURM_LOCALID": str(j), "SLURMD_NODENAME": f"judgenode{i + 1}"}
        started.append(subprocess.Popen(words, env=env))
sys.exit(max(one.wait() for one in started))
"""
SCONTROL = '#!/bin/sh\ni=1\nwhile [ "$i" -le "$SLURM_JOB_NUM_NODES" ]; do echo "judgenode$i"; i=$((i + 1)); done\n'


# ---- a broker's own code

class Reader:
    """A virtual environment with the release, and what it says of files."""

    def __init__(self, broker, shop):
        self.broker = broker
        self.folder = shop.place(f"brokers/venv-{broker.target}")
        self.home = shop.place("brokers/home")
        self.python = self.folder / "bin" / "python"

    def install(self, report):
        release = self.broker.release
        made = lib.run([sys.executable, "-m", "venv", self.folder], timeout=120)
        if made.returncode:
            return report.skip("venv", "brokers", f"python3 -m venv: {lib.says(made)[-200:]}")
        done = lib.run([self.folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", release], timeout=900)
        return done.returncode == 0 or report.skip("pypi", "brokers", f"{release} cannot be installed: {lib.says(done)[-300:]}")

    def read(self, files):
        done = lib.run([self.python, HERE / self.broker.reader, *files], timeout=600, env={**os.environ, "HOME": str(self.home)})
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        assert len(lines) == len(files), f"{len(lines)} answers to {len(files)} files: {lib.says(done)[-800:]}"
        return lines


# ---- what muster wrote

class Written:
    def __init__(self, broker, name, spec, site, path):
        self.broker, self.name, self.spec, self.site, self.path, self.text = broker, name, spec, site, path, path.read_text()


def compile_for(shop, spec, site, folder, target, suffix):
    """The file, or None with what muster says."""
    text = cases.at_root(cases.spec_text(spec), shop.place("brokers/root"))
    source = folder / spec.name
    source.write_text(text)
    own = folder / "site.muster"
    own.write_text(cases.at_root(site.read_text(), shop.place("brokers/root")))
    done = shop.ask("compile", source, "--site", own, "--root", folder, "--target", target, "-o", folder / "out", "--quiet")
    found = sorted((folder / "out").glob(f"*.{suffix}")) if done.returncode == 0 else []
    return (found[0] if len(found) == 1 else None), lib.says(done)


def all_files(shop, broker):
    """Every spec of the project that the broker's target takes."""
    found = []
    for site in (HERE / f"{broker.site}.site.muster", cases.EXAMPLES / "sites" / f"{broker.example}.muster"):
        specs = [*sorted(cases.SPECS.glob("*.muster")), *sorted((cases.EXAMPLES / "workloads").glob("*.muster")), *sorted((lib.CHECKOUT / "tests/handwritten/jobs").glob("*.muster"))]
        for spec in specs:
            if spec.name.endswith(".site.muster"):
                continue
            folder = shop.place(f"brokers/{broker.target}/{site.stem}/{spec.stem}")
            path, _ = compile_for(shop, spec, site, folder, broker.target, broker.suffix)
            if path:
                found.append(Written(broker, f"{spec.stem} at {site.stem}", spec, site, path))
    return found


# ---- the same run on both sides

def same_words(text):
    """Values of the plane under one name: the number of the run, its nodes, its port, the script that the shell runs (`bash -c` has none)."""
    for pattern, name in ((r"sky-[\d-]+_w_1|\b770077dd[\d-]+\b|\b770077\b", "ID"), (r"judgenode(\d+)", r"NODE\1"), (r"\b10\.0\.0\.(\d+)", r"NODE\1"), (r"\b(29500|10770)\b", "PORT"),
                          (r"/\S*/(node-\d+\.sh|[\w.-]+\.slurm\.sbatch)|(?<=sh )/bin/bash$", "SCRIPT")):
        text = re.sub(pattern, name, text)
    return text


def in_one_spelling(text, env):
    """Its folders have names of their own, too: the variables that hold them, or what made them."""
    for key in ("MUSTER_DIR", "MUSTER_TMP"):
        if env.get(key):
            text = text.replace(env[key], key)
    return same_words(re.sub(r"/\S*/(tmp\.\w{10}|770077\.\w{6}|jobs/770077)(?=/|$)", "FOLDER", text))


def portable(env, own):
    return {key: in_one_spelling(value, env) for key, value in env.items() if (key.startswith(OURS) or key in own) and key not in OF_THE_PLANE}


def calls(records, own):
    """Program, words and variables of each process, in the order of these."""
    out = []
    for record in records:
        words = [word for word in record["argv"]]
        if record["name"] in ("torchrun", "accelerate"):
            words = without_meeting(words)
        out.append((record["name"], [in_one_spelling(word, record["env"]) for word in words], portable(record["env"], own)))
    return sorted(out, key=lambda call: json.dumps(call, sort_keys=True))


def without_meeting(words):
    out, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif MEETING.match(word):
            skip = "=" not in word and not word.startswith("--standalone")
        else:
            out.append(word.replace("_", "-") if word.startswith("--n") else word)
    return out


def prepare(machine, root):
    """The stubs of Slurm, and the folders that specs name."""
    for name, body in (("srun", SRUN), ("scontrol", SCONTROL), ("getent", "#!/bin/sh\necho 10.0.0.1 STREAM\n")):
        path = machine.bin / name
        path.write_text(body)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    for name in ("secret", "jobs", "data", "code"):
        (root / name).mkdir(exist_ok=True)
    (root / "secret" / "hf token").write_text("value of HF_TOKEN")
    (root / "bin").symlink_to(machine.bin)
    for name, body in (("module", ""), ("conda", f"echo '{root}/conda'")):
        (machine.bin / name).write_text(f"#!/bin/sh\n{body}\n")
        (machine.bin / name).chmod(0o755)
    for path, body in (("conda/etc/profile.d/conda.sh", 'conda() { if [ "$1" = activate ]; then export CONDA_DEFAULT_ENV="$2"; else command conda "$@"; fi; }'), ("env/torch/bin/activate", "export VIRTUAL_ENV=torch")):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(body + "\n")


def on_slurm(machine, script, nodes, folder):
    env = {"SLURM_JOB_ID": "770077", "SLURM_JOB_NUM_NODES": str(nodes), "SLURM_NNODES": str(nodes), "SLURM_JOB_NODELIST": f"judgenode[1-{nodes}]", "SLURM_SUBMIT_DIR": str(folder), "SLURM_NODEID": "0",
           "SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURMD_NODENAME": "judgenode1", "SLURM_CPUS_ON_NODE": "16", "SLURM_JOB_CPUS_PER_NODE": f"16(x{nodes})", "TMPDIR": str(folder), "JUDGE_OUTSIDE": "value of KEY"}
    machine.clear()
    ended = machine.start(["bash", str(script)], env, folder)
    return [record for record in machine.records() if record["name"] in PROGRAMS], ended


def on_node(machine, script, rank, folder):
    """A node of SkyPilot has a file for an interactive bash; a node of dstack has words and variables."""
    if isinstance(script, dict):
        return machine.start(script["argv"], {"TMPDIR": str(folder), **script["env"]}, folder)
    (folder / "sky_workdir").mkdir(parents=True, exist_ok=True)
    path = folder / f"node-{rank}.sh"
    path.write_text(script, errors="surrogateescape", newline="")
    return machine.start(["bash", "-i", str(path)], {"TMPDIR": str(folder), "SKY_RUNTIME_DIR": str(folder)}, folder)


def on_broker(machine, scripts, folder):
    """What each node runs, one node after the other; and whether the launcher of each was told its own number."""
    found, ended = [], None
    for rank, script in enumerate(scripts):
        machine.clear()
        ended = on_node(machine, script, rank, folder)
        seen = [record for record in machine.records() if record["name"] in PROGRAMS]
        for record in seen:
            record["node"] = rank
        found += seen
        if ended.returncode:
            break
    return found, ended


def ranks_told(records):
    """What the launchers were told of their nodes: (number, address of the first)."""
    out = []
    for record in records:
        if record["name"] not in ("torchrun", "accelerate"):
            continue
        words = " ".join(record["argv"])
        rank = re.search(r"--(?:node_rank|machine_rank)[= ](\d+)", words)
        head = re.search(r"--(?:master_addr|main_process_ip)[= ](\S+)", words)
        env = record["env"]
        out.append((record["node"], rank[1] if rank else env.get("PET_NODE_RANK"), head[1] if head else env.get("PET_MASTER_ADDR") or env.get("MASTER_ADDR")))
    return out


def own_names(spec):
    return set(re.findall(r"(?:^ +|[{] )([A-Z_][A-Z_0-9]*) *= ", spec.read_text(), re.M)) | {"FROM_FABRIC", "FROM_SOFTWARE", "NCCL_SOCKET_IFNAME", "CONDA_DEFAULT_ENV", "VIRTUAL_ENV"}


def behaves(report, machine, written, slurm, scripts, shop):
    """The task beside the batch script: the same processes, words, variables and ranks."""
    nodes, own = len(scripts), own_names(written.spec)
    folder = shop.place(f"brokers/run/{written.broker.target}/{written.spec.stem}")
    for workdir in re.findall(r'workdir *= *"((?:[^"\\]|\\.)*)"', written.spec.read_text()):
        path = cases.at_root(re.sub(r"\\(.)", r"\1", workdir), shop.place("brokers/root"))
        for start in (folder, folder / "sky_workdir"):
            if (start / path).is_relative_to(shop.folder):
                (start / path).mkdir(parents=True, exist_ok=True)
    there, ended = on_slurm(machine, slurm, nodes, folder)
    here, ours = on_broker(machine, scripts, folder)
    if not report.check(f"{written.name}: both run programs", there and here, f"Slurm {ended.returncode} {lib.says(ended)[:200]}; {written.broker.name} {ours and ours.returncode} {ours and lib.says(ours)[:200]}"):
        return
    report.equal(f"{written.name}: exit code", ours.returncode, ended.returncode)
    report.equal(f"{written.name}: processes", len(here), len(there))
    for got, want in zip(calls(here, own), calls(there, own)):
        report.equal(f"{written.name}: program and words", got[:2], want[:2])
        more = ("MUSTER_NODE_RANK",) if "MUSTER_NODE_RANK" not in want[2] else ()  # Slurm's setup has it where its text names it
        wrong = {key: (got[2].get(key), want[2].get(key)) for key in {*got[2], *want[2]} if got[2].get(key) != want[2].get(key) and key not in more}
        report.check(f"{written.name}: variables", not wrong, f"({written.broker.name}, Slurm): {wrong}")
    for node, rank, head in ranks_told(here) if nodes > 1 else ():
        report.equal(f"{written.name}: node {node} is told", (rank, head), (str(node), "10.0.0.1"))


# ---- broken files

def judge_broken(report, reader, machine, shop, pairs):
    """`# by: dstack` at the head of a broken file; without it SkyPilot's."""
    broker = reader.broker
    own = [path for path in [*lib.broken_files("brokers", ".yaml"), *lib.broken_files("brokers", ".sed")]
           if (re.search(r"^# by: (.+)$", path.read_text(), re.M) or [None, "skypilot"])[1] == broker.target]
    for path in own:
        if path.suffix == ".yaml":
            lib.must_reject(report, path, lambda inner, p=path: (lambda line: inner.check(p.stem, line["ok"], line.get("error")))(reader.read([p])[0]))
            continue
        of = re.search(r"^# of: (.+)$", path.read_text(), re.M)[1]
        written, slurm = pairs[of]
        spoilt = shop.place("brokers/broken") / f"{path.stem}.yaml"
        spoilt.write_text(lib.mutation(path)(written.text))
        line = reader.read([spoilt])[0]
        report.check(f"{path.name} is still a task", line["ok"], line.get("error"))
        lib.must_reject(report, path, lambda inner, w=written, s=slurm, l=line: behaves(inner, machine, w, s, l["scripts"], shop))


def expected(report, written, line):
    """`# sky: KEY = VALUE` in the head of a spec: what the broker must have understood."""
    for want in cases.header(written.spec.read_text(), written.broker.site):
        key, _, value = want.partition(" = ")
        found = sorted({str(one[key]) for one in line["resources"]}) if line["resources"] and key in line["resources"][0] else [str(line.get(key))]
        report.equal(f"{written.name}: {key}", found, [value])


def judge_broker(report, shop, broker, machine):
    reader = Reader(broker, shop)
    if not reader.install(report):
        return
    files = all_files(shop, broker)
    report.check(f"{broker.name}'s target takes specs", len(files) > 20, f"{len(files)} files")
    lines = reader.read([one.path for one in files])
    pairs, compared = {}, 0
    for written, line in zip(files, lines):
        if not report.check(f"{written.name}: {broker.name} reads it", line["ok"], line.get("error")):
            continue
        expected(report, written, line)
        if not written.site.is_relative_to(HERE):
            continue
        slurm, _ = compile_for(shop, written.spec, HERE / "slurm.site.muster", shop.place(f"brokers/slurm.site/{written.spec.stem}"), "slurm", "sbatch")
        if slurm is None or line["service"] or re.search(r"^ *kind *= *dev", written.spec.read_text(), re.M):
            continue
        pairs[written.spec.stem] = (written, slurm)
        behaves(report, machine, written, slurm, line["scripts"], shop)
        compared += 1
    report.check(f"{compared} specs ran on {broker.name} and on Slurm", compared >= COMPARED)
    judge_broken(report, reader, machine, shop, pairs)


def judge(report, shop):
    machine = pods.Machine(shop.place("brokers/machine"))
    prepare(machine, shop.place("brokers/root"))
    for broker in BROKERS:
        judge_broker(report, shop, broker, machine)

"""Traps that show when a job runs: the broken file of `tests/traps/broken` beside muster's own for the same job, `tests/traps/ours`.

Both run on a real Slurm with the same stub programs. One function looks at what became of a job; what it sees of the broken
file must be the fault, and of ours the right thing: a trap that does not show is a failure, too. `traps.tsv` says which
traps are shown here."""
import collections
import http.server
import os
import re
import threading
import time

from . import cases, lab, lib, slurm_run, traps

FLEET = cases.Fleet(52, 8, "trap")  # so many that no job waits for another
# Nodes of two CPUs, which this machine has: programs get masks of real CPUs. A task is bound to cores, as clusters set it.
CONFIGURATION = "TaskPlugin=task/affinity\nTaskPluginParam=autobind=cores\n"
CPUS = 2
PATIENCE = 12  # seconds until a loop that has an end has ended


class TrapLab(lab.Lab):
    """Emulated nodes whose host names differ, as those of machines do."""

    stubs = (*lab.STUBS, "hostname")

    def __init__(self, shop, options):
        conf = shop.folder / "traps.conf"
        conf.write_text(CONFIGURATION)
        super().__init__(shop, ("--conf", conf, "--cpus", str(CPUS), "--hosts", *options), "traps", FLEET)


class Run:
    """One of the two files of a trap, to be submitted."""

    def __init__(self, rooms, name, kind, text, play):
        self.rooms, self.kind, self.play = rooms, kind, play
        self.folder = rooms.shop.place(f"traps/{name}.{kind}")
        (self.folder / "logs").mkdir()
        self.path = self.folder / "job.sbatch"
        self.path.write_text(text)
        self.jobs = []

    def submit(self, *words, **environment):
        """The job; a refusal ends the scenario."""
        variables = {**self.rooms.variables, "JUDGE_PLAY": self.play, **environment}
        number = self.rooms.cluster.submit(self.path, *words, cwd=self.folder, **variables)
        if not isinstance(number, int):
            raise ValueError(f"sbatch: {number}")
        self.jobs.append(number)
        return lab.Job(self.rooms, number, None, self.path)


# ---- what becomes of a job -----------------------------------------------------------------------

def exit_code(run):
    """The code of a program, and what that is to Slurm."""
    job = run.submit()
    state, codes = job.end(), {call["code"] for call in job.calls("python3")}
    return f"the program ends with {'3' if 3 in codes else codes}, the job is {state.get('JobState')}"


def lose_node(job):
    """The job's first node is lost while its programs run, and comes back."""
    cluster = job.lab.cluster
    if not job.wait_calls(2, "python3"):
        raise ValueError(f"its programs do not run: {job.output()[-300:]}")
    node = cluster.hosts(job.state()["NodeList"])[0]
    cluster.run("scontrol", "update", f"nodename={node}", "state=down", "reason=judge")
    lib.until(lambda: job.state().get("JobState") != "RUNNING", 20)
    lib.until(lambda: job.state().get("JobState") != "COMPLETING", 20)
    cluster.run("scontrol", "update", f"nodename={node}", "state=resume")  # where it has not come back by itself


def attempts(job):
    """In which attempts its programs started, once it has ended or started again."""
    def seen():
        return sorted({call["env"].get("SLURM_RESTART_COUNT", "0") for call in job.calls("python3")})
    lib.until(lambda: job.hurry().get("JobState") in lab.ENDED or len(seen()) > 1, 40, 0.4)
    return seen()


def starts(run):
    """How often a job starts whose node is lost."""
    job = run.submit()
    lose_node(job)
    return {1: "1 start", 2: "2 starts"}.get(len(attempts(job)))


def log_of_attempts(run):
    """Which attempts the log still has, after an operator requeues the job."""
    job = run.submit()
    if not job.wait_calls(2, "python3"):
        raise ValueError(f"its programs do not run: {job.output()[-300:]}")
    job.scontrol("requeue")
    began = attempts(job)
    if began != ["0", "1"]:
        raise ValueError(f"it does not start again: {job.state()}")
    lib.until(lambda: f"attempt {began[-1]}" in job.output(), 10)
    return f"attempts {' '.join(began)}, the log has {' '.join(sorted(set(re.findall(r'attempt ([0-9]+)', job.output()))))}"


def logs_of_tasks(run):
    """What is left of the lines that two tasks write, one after the other, on each of their two nodes."""
    job = run.submit()
    lib.until(lambda: not run.rooms.cluster.run("squeue", "-h", "-j", str(job.number)).stdout.strip(), 60, 0.4)
    logs = [path.read_text(errors="replace") for path in sorted(run.folder.rglob("*.out"))]
    lines = set(re.findall(r"^task \d+ node \d+", "\n".join(logs), re.M))
    return f"logs: {len(logs)}, lines: {len(lines)} of 4"


def cpus(run):
    """How many CPUs the kernel lets the programs use."""
    job = run.submit()
    job.end()
    return f"CPUs of the program of each node: {[call['cpus'] for call in job.calls() if call['name'] in ('python3', 'torchrun')]}"


def waiting(run):
    """Whether a job ends whose server never answers."""
    job = run.submit()
    if not job.wait_calls(1, "python3"):
        raise ValueError(f"the server does not start: {job.output()[-300:]}")
    lib.until(lambda: job.state().get("JobState") in lab.ENDED, PATIENCE, 0.4)
    return f"the job is {job.state().get('JobState')}"


class Web:
    """A server on a free port, with this answer to all requests, that knows how often it was asked."""

    def __init__(self, code):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_response(code)
                self.end_headers()

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def proxied(run):
    """Who is asked whether the server of a node is ready, where the site has a proxy."""
    server, proxy = Web(200), Web(503)
    run.path.write_text(run.path.read_text().replace(":8000", f":{server.port}"))
    run.submit(http_proxy=f"http://127.0.0.1:{proxy.port}", no_proxy="", NO_PROXY="").end()
    return " and ".join(name for name, web in (("the server", server), ("the proxy", proxy)) if web.asked) or "neither"


def containers(run):
    """How many steps with a container ask `ray status`."""
    job = run.submit()
    job.end()
    asked = job.calls("ray", "status")
    steps = collections.Counter(call["env"].get("SLURM_STEP_ID") for call in asked if call["env"].get("SLURM_PROCID") == "0")
    if sum(steps.values()) < 2:
        raise ValueError(f"ray is not asked twice: {job.output()[-300:]}")
    return f"a container for {'all probes' if len(steps) == 1 else 'each probe' if set(steps.values()) == {1} else dict(steps)}"


def ports(run):
    """The codes of the first processes of two jobs on the same nodes, each of which listens."""
    nodes = f"--nodelist={FLEET.prefix}[{'51-52' if run.kind == 'broken' else '49-50'}]"  # the last ones: free as long as there are others
    first = run.submit(nodes)
    first.wait_calls(2, "python3")
    second = run.submit(nodes)
    if not second.wait_calls(2, "python3"):
        raise ValueError(f"they do not run beside each other: {second.state()}")
    time.sleep(1)  # the second listens, or has found the port taken
    run.rooms.cluster.run("scancel", *map(str, run.jobs))
    return f"codes {[call['code'] for job in (first, second) if job.end() for call in job.calls('python3') if call['env']['SLURM_PROCID'] == '0']}"


def heads(run):
    """Where the processes of the nodes go to meet."""
    job = run.submit()
    job.end()
    found = {call["env"].get("MASTER_ADDR") for call in job.calls("python3")}
    return f"{len(found)} head{'s' * (len(found) > 1)}" if None not in found else f"no head: {job.output()[-300:]}"


def saved(run):
    """Whether the workers of torchrun save, which takes them longer than torchrun's own patience."""
    job = run.submit()
    if not job.wait_calls(2, "torchrun"):
        raise ValueError(f"its programs do not run: {job.output()[-300:]}")
    time.sleep(1)  # the workers begin, too
    job.signal("USR1", "--batch")
    job.end()
    return f"saved: {sorted({str(call.get('saved')) for call in job.calls('torchrun')})}"


# ---- the traps -----------------------------------------------------------------------------------

# What a broken file asks for that the sandbox has not, and what would take too long.
SMALLER = {
    "array-one-log": (("--array=0-9", "--array=0-1%1"),),
    "container-for-each-probe": (("sleep 5", "sleep 1"),),
    "cpus-not-inherited": (("--cpus-per-task=96", f"--cpus-per-task={CPUS}"),),
    "default-shutdown": (("wait $!", "wait $! || wait $!"),),  # else Slurm ends the steps together with the script
    "endless-wait": (("n1:", "trap01:"), ("sleep 5", "sleep 1")),
    "fixed-port": (("--gpus-per-node=8", "--gpus-per-node=1"), ("--no-requeue", "--no-requeue\n#SBATCH --mem=1000")),
    "probe-through-proxy": (("n1:", "trap01:"), ("seq 60", "seq 2"), ("sleep 5", "sleep 1")),
}
# What is looked at, what the stub programs do, what becomes of the broken file, and of ours.
TRAPS = {
    "endless-wait": (waiting, "python3:wait", "the job is RUNNING", "the job is FAILED"),
    "requeue-by-default": (starts, "wait", "2 starts", "1 start"),
    "lost-log": (log_of_attempts, "print wait", "attempts 0 1, the log has 1", "attempts 0 1, the log has 0 1"),
    "container-for-each-probe": (containers, "ray:late=4", "a container for each probe", "a container for all probes"),
    "default-shutdown": (saved, "save=4.5", "saved: ['False']", "saved: ['True']"),
    "fixed-port": (ports, "listen wait", "codes [0, 98]", "codes [0, 0]"),
    "array-one-log": (logs_of_tasks, "print", "logs: 1, lines: 2 of 4", "logs: 2, lines: 4 of 4"),
    "probe-through-proxy": (proxied, "python3:wait", "the proxy", "the server"),
    "cpus-not-inherited": (cpus, "", "CPUs of the program of each node: [1, 1]", f"CPUs of the program of each node: [{CPUS}, {CPUS}]"),
    "one-core-binding": (cpus, "", "CPUs of the program of each node: [1, 1]", f"CPUs of the program of each node: [{CPUS}, {CPUS}]"),
    "head-by-hostname": (heads, "", "2 heads", "1 head"),
    "swallowed-exit": (exit_code, "exit=3", "the program ends with 3, the job is COMPLETED", "the program ends with 3, the job is FAILED"),
}


def broken_text(name):
    text = (traps.FOLDER / "broken" / f"{name}.sbatch").read_text()
    for old, new in SMALLER.get(name, ()):
        if old not in text:
            raise ValueError(f"{name}: the broken file has no `{old}`")
        text = text.replace(old, new)
    return text


def own_text(rooms, report, name):
    """What muster writes for the same job, for nodes as small as the sandbox's."""
    case = next(case for case in cases.own_cases(traps.FOLDER / "ours") if case.name == name)
    path = rooms.bench.compile(report, case, site_edit=lambda text: text.replace("cpus = 112", f"cpus = {CPUS}"))
    return path.read_text() if path else None


def shown(rooms, name, kind):
    """What becomes of one of the two files."""
    report = lib.Lines()
    look, play, fault, right = TRAPS[name]
    want = fault if kind == "broken" else right
    try:
        text = broken_text(name) if kind == "broken" else own_text(rooms, report, name)
        run = Run(rooms, name, kind, text, play)
        report.equal(f"{name}: {'the broken file shows it' if kind == 'broken' else 'ours does not have it'}: {want}", look(run), want)
        rooms.cluster.cancel(*run.jobs)
    except (ValueError, KeyError, TypeError) as error:
        report.check(f"{name}: the {kind} file runs", False, f"{type(error).__name__}: {error}")
    return report


def judge(report, shop):
    if not lib.sandbox_folder():
        return report.skip("sandbox", "trap-runs", "no slurm-sandbox folder beside the checkout; MUSTER_SHARED names the folder that has it")
    if not os.access("/etc/hosts", os.W_OK):
        return report.skip("hosts", "trap-runs", "/etc/hosts cannot be written, so node names have no address")
    options, no_pyxis = slurm_run.pyxis_options(shop)
    rooms = TrapLab(shop, options)
    error = rooms.cluster.up()
    if not report.check("the nodes are up", not error, error):
        return None
    if no_pyxis:
        report.skip("pyxis", "container-for-each-probe", no_pyxis)
    chosen = [name for name in TRAPS if not (no_pyxis and name == "container-for-each-probe")]
    for done in slurm_run.side_by_side([(shown, rooms, name, kind) for name in chosen for kind in ("broken", "ours")]):
        report.take(done)
    return rooms.cluster.down()

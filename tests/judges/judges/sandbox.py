"""A real Slurm controller of a declared fleet, brought up for one judge."""
import os
import pathlib
import re
import signal
import socket
import time

from . import cases, lib

UNDECIDED = ("None", "Priority", "BeginTime", "")  # reasons of a job that the scheduler has not looked at
CALLER_ONLY = re.compile(r"^(SLURM|SBATCH|SRUN|SQUEUE|SCANCEL|MUSTER|PET)_")


def clean_environment(**more):
    """The caller's environment without anything that Slurm or muster would read."""
    kept = {name: value for name, value in os.environ.items() if not CALLER_ONLY.match(name)}
    return {**kept, **more}


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_ports(shop):
    """The first of the shop's next ports that nobody here listens on. A suite's Slurm has a network of its own, where a
    look from here sees nothing: hence none is given twice."""
    while True:
        first = next(shop.ports)
        if not any(listens(port) for port in range(first, first + lib.PORTS)):
            return first


class Cluster:
    """The sandbox's controller. With `suite`, that of another Debian's Slurm, in its chroot."""

    def __init__(self, shop, name, fleet, suite=None, options=()):
        self.shop, self.fleet, self.suite, self.options = shop, fleet, suite, options
        self.scripts = lib.sandbox_folder()
        self.state = shop.folder / name
        self.environment = clean_environment(SLURM_CONF=str(self.state / "etc" / "slurm.conf"))

    def inside(self, *words):
        """The command as the cluster's own users would run it."""
        if not self.suite:
            return list(words)
        conf = self.environment["SLURM_CONF"]
        return [self.scripts / "in-version.sh", self.suite, "--bind", self.shop.folder, "--", "env", f"SLURM_CONF={conf}", *words]

    def run(self, *words, cwd=None, timeout=60, **environment):
        return lib.run(self.inside(*words), timeout=timeout, cwd=cwd or self.shop.folder, env={**self.environment, **environment})

    def up(self):
        """An error message, or None once the controller answers."""
        port = free_ports(self.shop)
        words = [self.scripts / "up.sh", "--dir", self.state, "--port", str(port), "--prefix", self.fleet.prefix, *self.options]
        self.shop.closing.callback(self.down)
        started = self.run(*words, str(self.fleet.nodes), "8", "h100", str(self.fleet.leaf), timeout=300)
        return None if started.returncode == 0 else lib.says(started)

    def down(self):
        """Ends this controller; first its jobs, the waiting ones too, so that none starts meanwhile."""
        if self.state.exists():
            self.run("scancel", "--user", str(os.getuid()))
            lib.until(lambda: not self.run("squeue", "-h").stdout.strip(), 15)
            self.run(self.scripts / "down.sh", "--dir", self.state)

    def version(self):
        return self.run("sbatch", "--version").stdout.split()[-1]

    # ---- jobs ----------------------------------------------------------------------------

    def test_only(self, path):
        return self.run("sbatch", "--test-only", path)

    def submit(self, path, *words, cwd=None, **environment):
        """The job's id, or the refusal as text."""
        done = self.run("sbatch", "--parsable", *words, path, cwd=cwd, **environment)
        return int(done.stdout) if done.returncode == 0 and done.stdout.strip().isdigit() else lib.says(done)

    def job(self, job):
        """What `scontrol show job` knows, by field."""
        return fields(self.run("scontrol", "show", "job", str(job)).stdout)

    def settled(self, job, seconds=20):
        """The job's fields once the scheduler has placed it or has found no place for it."""
        def look():
            now = self.job(job)
            waiting = now.get("JobState") == "PENDING" and now.get("Reason") in UNDECIDED
            return None if not now or waiting else now
        return lib.until(look, seconds) or self.job(job)

    def states(self, jobs):
        """The tasks of each job, as pairs of state and reason."""
        found = {job: [] for job in jobs}
        for line in self.run("squeue", "-h", "-r", "-o", "%F|%T|%r").stdout.splitlines():
            number, state, reason = line.split("|", 2)
            if int(number) in found:
                found[int(number)].append((state, reason))
        return found

    def all_settled(self, jobs):
        """Their states once the scheduler has looked at each; those that wait are given time to start after all."""
        def waiting(found, reasons):
            return any(state == "PENDING" and (reasons is None or reason in reasons) for tasks in found.values() for state, reason in tasks)
        def look():
            found = self.states(jobs)
            return None if waiting(found, UNDECIDED) else found
        found = lib.until(look, 30) or self.states(jobs)
        if waiting(found, None):
            time.sleep(5)  # two rounds of each scheduler; while one looks, it takes the reason away
            found = lib.until(look, 30) or self.states(jobs)
        return found

    def hosts(self, names):
        if not names or names == "(null)":
            return []
        return self.run("scontrol", "show", "hostnames", names).stdout.split()

    def leaf_of(self, host):
        return (int(host[len(self.fleet.prefix):]) - 1) // self.fleet.leaf

    def cancel(self, *jobs):
        if not jobs:
            return
        self.run("scancel", *map(str, jobs))
        lib.until(lambda: not self.run("squeue", "-h", "-o", "%i", "-j", ",".join(map(str, jobs))).stdout.strip(), 15)

    def lose(self, hosts):
        """Nodes that do not answer any more, and the controller, which would find that out after some minutes, is told so."""
        processes = [process for host in hosts for process in self.processes_of(host)]
        signal_all(processes, signal.SIGSTOP)
        self.run("scontrol", "update", f"NodeName={','.join(hosts)}", "State=DOWN", "Reason=lost")
        time.sleep(1)  # the jobs are told first: what ends now ends unseen
        signal_all(processes, signal.SIGKILL)

    def processes_of(self, host):
        """Of an emulated node: its agent, and what runs there with the agents of the steps."""
        yield int((self.state / f"run/slurmd.{host}.pid").read_text())
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if f"SLURMD_NODENAME={host}".encode() in path.read_bytes().split(b"\0"):
                    parent = int(re.search(r"^PPid:\s*(\d+)", (path.parent / "status").read_text(), re.M)[1])
                    if (path.parent.parent / str(parent) / "comm").read_text().startswith("slurmstepd"):
                        yield parent
                    yield int(path.parent.name)
            except OSError:  # it has ended, or is not ours
                pass

    def rests(self):
        """Waits until every node is free again: for a while after a job has gone, its nodes may still be taken."""
        return lib.until(lambda: not re.search("alloc|mix|comp", self.run("sinfo", "-h", "-N", "-o", "%T").stdout), 15)


def signal_all(processes, number):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def host_cluster(report, shop):
    """This machine's Slurm with the default fleet, brought up once for all judges; None after a failure."""
    if not hasattr(shop, "host"):
        shop.host = Cluster(shop, "sched", cases.Fleet())
        error = shop.host.up()
        if not report.check("this machine's Slurm is up", not error, error):
            shop.host = None
    return shop.host


# Fields whose value is the rest of its line, blanks and all.
WHOLE_LINE = ("JobName", "Command", "WorkDir", "Comment", "StdErr", "StdIn", "StdOut", "TresPerNode")


def raw_fields(text):
    """The fields of `scontrol show job`."""
    out = {}
    for line in text.splitlines():
        start = re.search(rf"(?:^|\s)({'|'.join(WHOLE_LINE)})=(.*?) ?$", line)
        head = line[:start.start()] if start else line
        for word in head.split():
            name, equals, value = word.partition("=")
            if equals:
                out[name] = value
        if start:
            out[start[1]] = start[2]
    return out


def fields(text):
    """The fields of `scontrol show job`, in today's spelling."""
    out = raw_fields(text)
    lists = [found for found in re.findall(r"\bNodeList=(\S+)", text) if found != "(null)"]
    if "HetJobId" in out and len(lists) > 1:  # its components; the tasks of an array are jobs of their own
        out["NodeList"] = ",".join(lists)
    if out.get("TimeLimit") == "365-00:00:00":  # what the backfill scheduler writes where there is no limit
        out["TimeLimit"] = "UNLIMITED"
    if "TresPerNode" in out:
        out["TresPerNode"] = out["TresPerNode"].replace("gres:", "gres/")
    if "NtasksPerN:B:S:C" in out:
        out["NtasksPerN"] = out["NtasksPerN:B:S:C"].split(":")[0]
    if "NumNodes" in out:
        out["NumNodes"] = out["NumNodes"].split("-")[0]
    if "MinMemoryNode" in out:
        out["MinMemoryNode"] = mebibytes(out["MinMemoryNode"])
    return out


def mebibytes(text):
    """409600M and 400G are the same."""
    found = re.fullmatch(r"([\d.]+)([MGT]?)", text)
    return f"{float(found[1]) * 1024 ** ' GT'.index(found[2]) if found[2] in 'GT' and found[2] else float(found[1]):.0f}M" if found else text

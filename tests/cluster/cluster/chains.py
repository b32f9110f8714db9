"""The script that submits workloads that depend on others, as its user runs it: with kubectl, beside the files."""
import os
import subprocess

from . import nodes, pods, queues
from .fleet import Site
from .lab import Kept

PATIENCE = 120.0 # seconds until pods run, where all of the machine is busy

SITE = """site chain {{
  plane main  {{ kind = kubernetes  version = "1.36"  gang = kueue  namespace = "{space}"  operator jobset {{ version = "0.12" }} }}
  queue main  {{ name = "{space}"  default = true }}
  fleet = nodes
  software any {{ image = "registry.example/any:1" }}
}}
fleet nodes {{
  pool cpu {{ nodes = "cpu[1-4]"  node {{ cpus = 32  memory = 256GB }} }}
}}
"""
# `judge` waits for the end of one workload and the start of another, `tidy` for a failure.
SPEC = """workload train {
  kind = train  nodes = 2  cpus = 4  memory = 4GiB  time-limit = 1h  software = any  command = ["train"]
}
workload answer {
  kind = serve  cpus = 4  memory = 4GiB  software = any  command = ["serve"]
  port http { number = 8000 }
}
workload judge {
  kind = batch  cpus = 4  memory = 4GiB  time-limit = 1h  software = any  command = ["judge"]
  depends-on train  {}
  depends-on answer { on = start }
}
workload tidy {
  kind = batch  cpus = 1  memory = 1GiB  time-limit = 1h  software = any  command = ["tidy"]
  depends-on judge { on = failure }
  depends-on train { on = finish }
}
"""
# (code of train, code of judge or None where it must not be submitted): the script's exit code.
ENDS = {(0, 1): 0, (0, 0): 0, (1, None): 1}


class Chain:
    """A namespace in which the script runs."""

    def __init__(self, lab, kubectl):
        self.lab, self.name = lab, lab.space_name("c")
        self.space, self.folder = lab.space(self.name), lab.folder / "chains" / self.name
        self.folder.mkdir(parents=True)
        (self.folder / "site.muster").write_text(SITE.format(space=self.name))
        (self.folder / "spec.muster").write_text(SPEC)
        self.out, self.said = self.folder / "out", self.folder / "said"
        self.environment = {**os.environ, "PATH": f"{kubectl}:{os.environ['PATH']}"}

    def write(self):
        """What muster says, if it does not write the files."""
        done = self.lab.ask("compile", self.folder / "spec.muster", "--site", self.folder / "site.muster", "-o", self.out, "--quiet")
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def furnish(self):
        """Nodes of its own: those of other scenarios go away."""
        self.machines = Site(self.lab.muster, self.folder / "site.muster").nodes()
        for machine in self.machines:
            machine["name"] = f"{self.name}-{machine['name']}"
            machine["labels"]["node.kubernetes.io/instance-type"] = self.name
        nodes.make(self.lab.api, self.machines)
        queues.cluster_queue(self.lab.api, self.name, self.machines)
        queues.namespace(self.lab.api, self.name)
        queues.local_queue(self.lab.api, self.name, self.name, self.name)

    def running(self, workload, count):
        """The workload's pods, as soon as so many run; nothing if they never do."""
        def found():
            mine = [pod for pod in self.space.running() if pod["metadata"]["name"].startswith(f"{workload}-")]
            return len(mine) == count and mine
        return self.space.until(found, PATIENCE)

    def follow(self, train, judge):
        """What happens beside what must happen, as the workloads end with these codes: [(what, whether it holds)]."""
        with self.said.open("w") as said:
            script = subprocess.Popen(["sh", self.out / "submit.kubernetes.sh"], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
        try:
            first = self.running("train", 2)
            yield "train and answer start", bool(first and self.running("answer", 1))
            if not first:
                return
            self.space.settle(quiet=1.0)
            yield "judge waits", not self.exists("judge")
            self.lab.kubelets.end(first, train)
            if judge is None:
                yield "tidy starts", bool(self.running("tidy", 1))
                yield "judge is not submitted", not self.exists("judge")
            else:
                second = self.running("judge", 1)
                yield "judge starts", bool(second)
                yield "tidy waits", not self.exists("tidy")
                self.lab.kubelets.end(second or [], judge)
                if judge:
                    yield "tidy starts", bool(self.running("tidy", 1))
            yield f"the script ends with {ENDS[train, judge]}", self.space.until(lambda: script.poll() is not None, PATIENCE) and script.poll() == ENDS[train, judge]
            yield "tidy runs only after a failure of judge", self.exists("tidy") == (judge != 0)
            yield "the script says what is not submitted", ("is not submitted" in self.said.read_text()) == (judge in (None, 0))
        finally:
            script.kill()
            self.space.clear(by_others=True)
            queues.remove_cluster_queue(self.lab.api, self.name)
            for machine in self.machines:
                self.lab.api.delete(f"/api/v1/nodes/{machine['name']}")

    def state(self):
        """What there is and why it waits, for a person."""
        there = [f"{pod['metadata']['name']} {pods.state(pod)} {pods.why(pod)}" for pod in self.space.pods()]
        return "; ".join(there + [pods.why(workload) for workload in self.space.held("workloads")] + [self.said.read_text()])

    def exists(self, workload):
        return any(pod["metadata"]["name"].startswith(f"{workload}-") for pod in self.space.pods())


def kubectl_of(lab):
    """A folder with `kubectl`, for the cluster of the lab."""
    folder = lab.folder / "kubectl"
    folder.mkdir(exist_ok=True)
    program = folder / "kubectl"
    program.write_text(f'#!/bin/sh\nexec "{lab.plane.parts.program("kube")}" kubectl --kubeconfig "{lab.plane.kubeconfig}" "$@"\n')
    program.chmod(0o755)
    return folder


def one(lab, kubectl, ends):
    """What was seen of a chain whose workloads end so."""
    report, label, chain = Kept(), f"chain with ends {ends[0]} and {ends[1]}", Chain(lab, kubectl)
    if said := chain.write():
        report.check(f"{label}: is written", False, said)
        return report
    chain.furnish()
    for what, good in chain.follow(*ends):
        report.check(f"{label}: {what}", good, chain.state())
    return report


def run(lab, report, words=()):
    kubectl = kubectl_of(lab)
    chosen = [ends for ends in ENDS if not words or any(word in f"chain with ends {ends[0]} and {ends[1]}" for word in words)]
    for kept in lab.again(lambda ends: one(lab, kubectl, ends), chosen, len(ENDS), lambda _, kept: kept.failed).values():
        kept.hand_over(report)

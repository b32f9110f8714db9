"""etcd, API server, controllers and scheduler of a cluster, and the operators on it. It needs a network namespace, a
mount namespace and a process namespace of its own: ports and two folders are written into the operators."""
import collections
import concurrent.futures
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time

from . import certificates, operators
from .api import Api, Refused

PORT = 16443
# Controllers that no fake node has a use for, and those that would call a node lost because its kubelet is played.
IDLE = ("node-lifecycle-controller", "node-ipam-controller",
        "certificatesigningrequest-approving-controller", "certificatesigningrequest-signing-controller", "certificatesigningrequest-cleaner-controller",
        "ttl-controller", "endpoints-controller", "endpointslice-mirroring-controller", "root-ca-certificate-publisher-controller")
# What is there before an operator starts: the training operator fills its secret when it finds none.
NAMESPACES = ("kueue-system", "jobset-system", "lws-system", "kubeflow", "kubeflow-system", "volcano-system", "mpi-operator", "ray-system",
              "keda", "kai-scheduler", "kai-resource-reservation")


class Ended(Exception):
    """A process of the cluster has ended."""


class ControlPlane:
    def __init__(self, parts, state):
        self.parts, self.state = parts, pathlib.Path(state)
        self.pki = certificates.folder(parts)
        self.processes = collections.OrderedDict()
        self.operators = {}
        self.commands, self.kept, self.stopped = {}, set(), threading.Event()
        self.gates, self.served = (), ()  # feature gates that are on; groups and versions that are served besides
        self.api = None
        for name in ("log", "etcd", "tmp"):
            (self.state / name).mkdir(parents=True, exist_ok=True)

    # ---- processes -----------------------------------------------------------------------------

    def start_process(self, name, *words, **environment):
        self.commands[name] = words, environment
        log = open(self.state / "log" / name, "ab")
        # Half as many garbage collections, a fifth of the server's work otherwise, for twice the memory.
        own = {**os.environ, "GOGC": "200", "TMPDIR": str(self.state / "tmp"), "KUBECONFIG": str(self.kubeconfig), **environment}
        self.processes[name] = subprocess.Popen([str(word) for word in words], cwd=self.state, env=own, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def end_process(self, name):
        process = self.processes.pop(name, None)
        if process and process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def keep(self):
        """Starts operators again that have ended, as their Deployments do: on a busy machine one may lose its lease."""
        while not self.stopped.wait(1):
            for name, process in list(self.processes.items()):
                if name in self.kept and process.poll() is not None and self.processes.get(name) is process:
                    words, environment = self.commands[name]
                    self.start_process(name, *words, **environment)

    def stop(self):
        self.stopped.set()
        for name in reversed(list(self.processes)):
            self.end_process(name)

    def check(self, name):
        if self.processes[name].poll() is not None:
            tail = (self.state / "log" / name).read_text(errors="replace").splitlines()[-5:]
            raise Ended(f"{name} has ended: {' / '.join(tail)}")

    def wait_for(self, what, ready, name, seconds=240):
        end = time.monotonic() + seconds
        while not ready():
            self.check(name)
            if time.monotonic() > end:
                raise Ended(f"{what} is not there after {seconds} s")
            time.sleep(0.05)

    @property
    def kubeconfig(self):
        return self.state / "kubeconfig"

    # ---- the start -----------------------------------------------------------------------------

    def start(self, names, flags=None, defined=()):
        """With these operators; `flags` are further words of operators, by their name. Of `defined` only the kinds are there."""
        self.prepare_folders()
        known = [*names, *defined]
        kept = self.parts.snapshot(known)
        if kept.exists():
            shutil.copytree(kept, self.state / "etcd", dirs_exist_ok=True)
        self.start_server()
        if not kept.exists():
            self.make_definitions(known)
            self.keep_etcd(kept)
        self.wait_until_served(known)
        self.start_controllers()
        with concurrent.futures.ThreadPoolExecutor(len(names) or 1) as pool:
            list(pool.map(lambda name: self.start_operator(name, (flags or {}).get(name, ())), names))

    def prepare_folders(self):
        certificates.place(self.pki, self.state / "tmp")
        for source, target in (("k8s-webhook-server", "/tmp/k8s-webhook-server"), ("kueue", "/etc/kueue")):
            os.makedirs(target, exist_ok=True)
            subprocess.run(["mount", "--bind", str(self.state / "tmp" / source), target], check=True)
        self.kubeconfig.write_text(
            "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}], users: [{name: u, user: {token: judge}}],\n"
            f' clusters: [{{name: c, cluster: {{server: "https://127.0.0.1:{PORT}", certificate-authority: {self.pki}/ca.pem}}}}]}}\n')

    def gate_words(self):
        return ["--feature-gates=" + ",".join(f"{gate}=true" for gate in self.gates)] if self.gates else []

    def start_server(self):
        kube = self.parts.program("kube")
        client, peer = f"http://127.0.0.1:{PORT + 1}", f"http://127.0.0.1:{PORT + 2}"
        self.start_process("etcd", kube, "etcd", "--data-dir", self.state / "etcd", "--unsafe-no-fsync", "--listen-client-urls", client, "--advertise-client-urls", client,
                           "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}", "--log-level", "error",
                           "--quota-backend-bytes", "4294967296")
        self.start_process("apiserver", kube, "apiserver", "--etcd-servers", client, "--bind-address", "127.0.0.1", "--advertise-address", "10.0.0.1", "--secure-port", PORT,
                           "--tls-cert-file", self.pki / "tls.crt", "--tls-private-key-file", self.pki / "tls.key", "--cert-dir", self.state / "tmp",
                           "--client-ca-file", self.pki / "ca.pem", "--token-auth-file", self.pki / "tokens", "--authorization-mode", "AlwaysAllow",
                           "--service-cluster-ip-range", "10.96.0.0/16", "--service-account-issuer", f"https://127.0.0.1:{PORT}",
                           "--service-account-key-file", self.pki / "sa.key", "--service-account-signing-key-file", self.pki / "sa.key", "--allow-privileged",
                           "--disable-admission-plugins", "TaintNodesByCondition", "--enable-admission-plugins", "PodNodeSelector", "--enable-priority-and-fairness=false", "--max-requests-inflight", "0",
                           *self.gate_words(), *(["--runtime-config=" + ",".join(f"{group}=true" for group in self.served)] if self.served else []))
        self.api = Api(PORT, self.pki / "ca.pem")
        self.wait_for("the API server", self.is_ready, "apiserver")

    def is_ready(self):
        try:
            self.api.ask("/api/v1/namespaces/default")
            return True
        except (OSError, ValueError, Refused):
            return False

    def make_definitions(self, names):
        self.make([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in NAMESPACES])
        self.make([operators.training_secret(self.pki)])
        found = [thing for name in names for thing in self.parts.objects(f"{name}.crds")]
        self.make(sorted(found, key=lambda thing: -len(str(thing))))  # the largest take the longest
        for thing in found:
            path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{thing['metadata']['name']}"
            self.wait_for(thing["metadata"]["name"], lambda path=path: operators.has_condition(self.api.ask(path), "Established"), "apiserver")

    def wait_until_served(self, names):
        """A server that begins with definitions takes some time to serve them; operators that start sooner give up."""
        wanted = collections.defaultdict(set)
        for thing in (thing for name in names for thing in self.parts.objects(f"{name}.crds")):
            for version in thing["spec"]["versions"]:
                if version["served"]:
                    wanted[f"/apis/{thing['spec']['group']}/{version['name']}"].add(thing["spec"]["names"]["plural"])

        def served():
            try:
                return all(wanted_of <= {resource["name"] for resource in (self.api.find(path) or {}).get("resources", [])} for path, wanted_of in wanted.items())
            except Refused:  # not yet ready for any question
                return False
        self.wait_for("what the operators define", served, "apiserver")

    def make(self, things):
        """Creates objects, eight at a time; a webhook that does not answer yet is asked again."""
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(self.make_one, things))

    def make_one(self, thing):
        for wait in [0.2] * 100 + [0]:
            try:
                return self.api.ensure(thing)
            except Refused as refused:
                if refused.code not in (403, 404, 429) and refused.code < 500:
                    raise
                time.sleep(wait)
        raise Ended(f"{thing['kind']} {thing['metadata']['name']} cannot be made")

    def keep_etcd(self, kept):
        """etcd is held still while its files are copied."""
        process, partial = self.processes["etcd"], kept.with_name(f"{kept.name}.{os.getpid()}")
        process.send_signal(signal.SIGSTOP)
        shutil.copytree(self.state / "etcd", partial)
        process.send_signal(signal.SIGCONT)
        try:
            partial.rename(kept)
        except OSError:  # another run was faster
            shutil.rmtree(partial)

    def start_controllers(self):
        kube = self.parts.program("kube")
        self.start_process("controller-manager", kube, "controller-manager", "--kubeconfig", self.kubeconfig, "--service-account-private-key-file", self.pki / "sa.key",
                           "--root-ca-file", self.pki / "ca.pem", "--leader-elect=false", "--controllers", ",".join(["*", *(f"-{name}" for name in IDLE)]),
                           "--kube-api-qps", "500", "--kube-api-burst", "1000", "--secure-port", "0", "--bind-address", "127.0.0.1", "--concurrent-job-syncs", "20",
                           "--min-resync-period", "1h", "--endpointslice-updates-batch-period", "1s", *self.gate_words())
        self.start_process("scheduler", kube, "scheduler", "--kubeconfig", self.kubeconfig, "--leader-elect=false", "--secure-port", "0",
                           "--kube-api-qps", "1000", "--kube-api-burst", "2000", "--bind-address", "127.0.0.1", *self.gate_words())

    # ---- operators -----------------------------------------------------------------------------

    def start_operator(self, name, flags=()):
        if name == "volcano":  # its webhook manager waits for them
            self.make(operators.webhooks(self.parts, name, self.pki))
        for program, words, environment in operators.commands(self, name, flags):
            self.start_process(program, *words, **environment)
        self.operators[name] = tuple(flags)
        if not self.kept:
            threading.Thread(target=self.keep, daemon=True).start()
        self.kept.update(operators.programs(name))
        found = operators.webhooks(self.parts, name, self.pki)
        if found:
            port = operators.port_of(found)
            self.wait_for(f"{name} at {port}", lambda: answers(port), operators.programs(name)[0])
            self.make(found)
        self.make(self.parts.objects(f"{name}.runtimes"))

    def restart_operator(self, name, flags=()):
        """The same with other words."""
        if self.operators.get(name) != tuple(flags):
            for program in operators.programs(name):
                self.end_process(program)
            self.start_operator(name, flags)


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0

"""How each operator is started, and its webhooks."""
import base64
import json
import pathlib
import re

from .parts import PROGRAMS

CONFIGURATIONS = pathlib.Path(__file__).resolve().parent.parent / "operators"


def programs(name):
    return PROGRAMS.get(name, (name,))


def commands(plane, name, flags):
    """(program, words, environment) of each process of an operator."""
    def configured():
        return [plane.parts.program(name), "--config", CONFIGURATIONS / f"{name}.yaml", *flags]

    def bound(metrics, health):
        return ["--metrics-bind-address", f"127.0.0.1:{metrics}", "--health-probe-bind-address", f"127.0.0.1:{health}", "--kube-api-qps", "200", "--kube-api-burst", "400"]

    if name in ("kueue", "jobset", "lws", "trainer"):
        return [(name, configured(), {})]
    if name == "training-operator":
        schemes = [f"--enable-scheme={kind}" for kind in ("pytorchjob", "tfjob", "xgboostjob", "paddlejob", "jaxjob")]
        return [(name, [plane.parts.program(name), "--webhook-server-port", "9446", *schemes, *bound(18444, 18084), *flags], {})]
    if name == "kuberay":
        words = ["--metrics-addr", "127.0.0.1:18446", "--health-probe-bind-address", "127.0.0.1:18086", "--enable-leader-election=false", "--qps", "200", "--burst", "400"]
        return [(name, [plane.parts.program(name), *words, *flags], {"ENABLE_WEBHOOKS": "true"})]
    if name == "mpi-operator":
        words = ["--kubeConfig", plane.kubeconfig, "--lock-namespace", "mpi-operator", "--kube-api-qps", "100", "--kube-api-burst", "200"]
        return [(name, [plane.parts.program(name), *words, *flags], {})]
    return {"volcano": volcano, "keda": keda, "kai": kai}[name](plane, flags)


def volcano(plane, flags):
    common = ["--kubeconfig", plane.kubeconfig, "--logtostderr"]
    admitted = ",".join(f"/{path}" for path in ("jobs/mutate", "jobs/validate", "podgroups/validate", "queues/mutate", "queues/validate", "hypernodes/validate", "cronjobs/validate"))
    fast = ["--kube-api-qps", "1000", "--kube-api-burst", "2000"]
    return [
        ("vc-webhooks", [plane.parts.program("vc-webhooks"), *common, "--listen-address", "127.0.0.1", "--port", "9449", "--tls-cert-file", plane.pki / "tls.crt",
                         "--tls-private-key-file", plane.pki / "tls.key", "--ca-cert-file", plane.pki / "ca.pem", "--webhook-url", "https://127.0.0.1:9449",
                         "--enabled-admission", admitted], {}),
        ("vc-controllers", [plane.parts.program("vc-controllers"), *common, "--leader-elect=false", "--enable-healthz=false", "--controllers=*,-sharding-controller", *fast], {}),
        ("vc-scheduler", [plane.parts.program("vc-scheduler"), *common, "--leader-elect=false", "--scheduler-conf", CONFIGURATIONS / "volcano-scheduler.yaml",
                          "--scheduler-name", "volcano", "--listen-address", "127.0.0.1:18450", "--enable-healthz=false", *fast, *flags], {}),
    ]


def keda(plane, flags):
    """Its admission only: nothing is scaled."""
    words = ["--port", "9451", "--cert-dir", plane.state / "tmp/k8s-webhook-server/serving-certs", "--metrics-bind-address", "127.0.0.1:18451", "--health-probe-bind-address", "127.0.0.1:18091"]
    return [("keda-webhooks", [plane.parts.program("keda-webhooks"), *words, *flags], {})]


def kai(plane, flags):
    """With the actions and plugins that are its own defaults; its admission is for shares of GPUs only."""
    fast = ["--qps", "200", "--burst", "400"]

    def bound(number):
        return ["--metrics-bind-address", f"127.0.0.1:{18460 + number}", "--health-probe-bind-address", f"127.0.0.1:{18100 + number}"]
    words = {
        "kai-podgrouper": [*bound(1), *fast],
        "kai-podgroupcontroller": [*bound(2), *fast, "--enable-podgroup-webhook=false"],
        "kai-queuecontroller": ["--metrics-listen-address", "127.0.0.1:18463", *fast, "--enable-webhook=false"],
        "kai-binder": [*bound(4), *fast],
        "kai-scheduler": ["--listen-address", "127.0.0.1:18465", "--plugin-server-port", "18105", "--namespace", "kai-scheduler", "--schedule-period", "1s", *fast, *flags],
    }
    return [(name, [plane.parts.program(name), *own], {"NAMESPACE": "kai-scheduler"}) for name, own in words.items()]


def webhooks(parts, name, pki):
    authority = base64.b64encode((pki / "ca.pem").read_bytes()).decode()
    return json.loads(json.dumps(parts.objects(f"{name}.webhooks")).replace("@CA@", authority))


def port_of(webhooks_):
    return int(re.search(r"https://127\.0\.0\.1:(\d+)/", json.dumps(webhooks_))[1])


def training_secret(pki):
    """The training operator keeps its certificates in a secret, and makes others where it lacks them."""
    data = {name: base64.b64encode((pki / file).read_bytes()).decode() for name, file in
            (("ca.crt", "ca.pem"), ("ca.key", "ca.key"), ("tls.crt", "tls.crt"), ("tls.key", "tls.key"))}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "training-operator-webhook-cert", "namespace": "kubeflow"}, "data": data}


def has_condition(thing, kind):
    return any(c["type"] == kind and c["status"] == "True" for c in (thing.get("status") or {}).get("conditions") or [])

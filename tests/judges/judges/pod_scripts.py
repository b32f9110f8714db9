"""The scripts inside manifests: bash and shellcheck read them, every pod's start runs with stub launchers, and the bytes
that a user wrote reach the program through YAML, Kubernetes' `$(NAME)` and a shell."""
import re
import shutil

from . import cases, lib, manifests, pods

SPECS = cases.SPECS / "hostile"
OURS = ("start", "program")  # what muster writes; other keys are the user's
# Left out at the severities below a warning: files of the site's that are not here (SC1091), words of the user's in single quotes
# that look like expansions (SC2016), and variables of the container's `env`, which the text does not set (SC2153).
LEFT_OUT = "SC1091,SC2016,SC2153"
FOREIGN = ("us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.9",)  # a vendor's sidecar, with the vendor's script


def reads(report, label, path):
    parsed = lib.run(["bash", "-n", path])
    report.check(f"{label} bash -n", parsed.returncode == 0 and not lib.says(parsed), lib.says(parsed))
    if not shutil.which("shellcheck"):
        return report.skip("shellcheck", f"{label} shellcheck", "it is not installed")
    linted = lib.run(["shellcheck", "--norc", "--shell=sh", "--severity=style", "--exclude=" + LEFT_OUT, "--format=gcc", path])
    return report.check(f"{label} shellcheck", linted.returncode == 0, lib.says(linted).replace(str(path), path.name))


def scripts_of(manifest):
    for document in manifest.of_kind("ConfigMap"):
        for key in OURS:
            if key in document.get("data", {}):
                yield f"{document['metadata']['name']}/{key}", document["data"][key]


def containers_of(node):
    """Every container anywhere in a document: init containers, sidecars, templates of any kind."""
    if isinstance(node, dict):
        if isinstance(node.get("command"), list):
            yield node
        for value in node.values():
            yield from containers_of(value)
    elif isinstance(node, list):
        for value in node:
            yield from containers_of(value)


def inline_of(manifest):
    """What muster writes into the words of containers: `/bin/sh -c TEXT`, as the kubelet hands it on. Other shells have the user's text."""
    for document in manifest.documents:
        for container in containers_of(document):
            words = [*container["command"], *container.get("args", [])]
            if words[:2] == ["/bin/sh", "-c"] and container.get("image") not in FOREIGN:
                yield f"{document['kind']} {container.get('name', 'trainer')} -c", pods.expanded(words[2], {})


def starts(report, machine, emitted):
    """The first pod's start ends with 0 and has started something."""
    manifest = pods.read(emitted.path)
    found = pods.pods_of(manifest)
    if not report.check(f"{emitted.label} has pods", found):
        return
    ended, records = machine.run(manifest, pods.with_folder(found[0], None), 0)
    good = ended.returncode == 0 and records
    report.check(f"{emitted.label} starts its program", good, f"{ended.returncode} {lib.says(ended)}")


# ---- hostile strings ---------------------------------------------------------------------------

def hostile(report, shop, machine, spec, target):
    label = f"{spec.stem} {target}"
    folder = shop.place(f"pod-scripts/{spec.stem}-{target}")
    text = spec.read_text()
    if target == "kuberay":
        text = text.replace("runner = none", "runner = ray")
    if target == "mpijob":
        text = text.replace("runner = none", "runner = mpi")
    if target == "lws":  # a service, which has no end
        text = text.replace("time-limit = 10m", "").replace("kind       = train", "kind       = serve").replace("nodes = 1", "nodes = 2")
    (folder / spec.name).write_text(text)
    site = cases.SPECS / "contract" / "sites" / "pods.muster"
    done = shop.ask("compile", folder / spec.name, "--site", site, "--root", folder, "--target", target, "-o", folder)
    if not report.check(f"{label} compiles", done.returncode == 0, lib.says(done)):
        return
    manifest = pods.read(next(folder.glob("*.yaml")))
    for number, pod in enumerate(pods.pods_of(manifest)[:2]):
        ended, records = program_of(machine, manifest, pods.with_folder(pod, None), number)
        if pods.is_ray(manifest) and number > 0:
            break  # its workers run no program of the user's
        if report.check(f"{label} pod {number} runs the program", len(records) == 1, f"{len(records)} calls; {lib.says(ended)}"):
            same_bytes(report, f"{label} pod {number}", text, records[0], script_of(pod, machine.folder / f"root{number}"))


def program_of(machine, manifest, pod, number):
    ended, records = machine.run(manifest, pod, number)
    started = [record for record in records if record["name"] == "ray"]
    if pods.is_ray(manifest) and number == 0 and started:
        machine.clear()
        ended = machine.start_entrypoint(manifest, started[0]["env"])
        records = machine.records()
    return ended, [record for record in records if record["name"] == "probe"]


def script_of(pod, root):
    """The user's script: a file, or a word of the command."""
    path = root / "job" / "script"
    if "command" not in pod.container:
        return None
    words = [*pod.container["command"], *pod.container.get("args", [])]
    return path.read_bytes().decode() if path.exists() else pods.expanded(words[words.index("-c") + 1], {}) if "-c" in words else None


def same_bytes(report, label, spec, record, body):
    words = cases.texts(spec, "command")[1:] or cases.texts(spec, "args")
    report.equal(f"{label} words, byte by byte", record["argv"], words)
    want = cases.environment(spec)
    report.equal(f"{label} environment, byte by byte", {name: record["env"].get(name) for name in want}, want)
    if "<<<" in spec:
        report.equal(f"{label} script, byte by byte", body, cases.heredoc(spec, "script"))


# ---- an image without a shell --------------------------------------------------------------------

BARE = """#include <stdio.h>
extern char **environ;
int main(int n, char **words) {
  for (int i = 1; i < n; i++) printf("%s%c", words[i], 0);
  putchar(0);
  for (char **item = environ; *item; item++) printf("%s%c", *item, 0);
}
"""
BARE_WORDS = ["a b", "$(HOSTNAME) $$", "$MUSTER_NAME"]
BARE_SPEC = """workload bare {{
  kind     = {kind}
  software = probe
  {nodes}
  gpus     = 8
  env      {{ MODE = 'x $(Y) "z"' }}
  command  = ["/probe", "a b", '$(HOSTNAME) $$', '$MUSTER_NAME']
}}
"""
BARE_TARGETS = {"kubernetes": ("batch", ""), "jobset": ("train", "nodes = 2"), "pytorchjob": ("train", "nodes = 2"), "volcano": ("train", "nodes = 2"),
                "trainjob": ("train", "nodes = 2")}


def without_a_shell(report, shop):
    """The program is the only file that there is: its words and variables arrive all the same."""
    folder = shop.place("pod-scripts/bare")
    (folder / "root").mkdir()
    (folder / "probe.c").write_text(BARE)
    built = lib.run(["cc", "-static", "-o", folder / "root" / "probe", folder / "probe.c"])
    if built.returncode:
        return report.skip("cc", "pod-scripts without a shell", "no C compiler makes a static program here")
    site = cases.SPECS / "contract" / "sites" / "pods.muster"
    for target, (kind, nodes) in BARE_TARGETS.items():
        spec = folder / f"{target}.muster"
        spec.write_text(BARE_SPEC.format(kind=kind, nodes=nodes))
        out = folder / target
        done = shop.ask("compile", spec, "--site", site, "--root", folder, "--target", target, "-o", out)
        if not report.check(f"bare {target} compiles", done.returncode == 0, lib.says(done)):
            continue
        pod = pods.pods_of(pods.read(next(out.glob("*.yaml"))))[0]
        env = pods.environment(pod, 0)
        words = [pods.expanded(word, env) for word in [*pod.container["command"], *pod.container.get("args", [])]]
        given = [f"{name}={value}" for name, value in env.items()]
        ran = lib.run(["env", "-i", *given, "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "unshare", "--map-root-user", "chroot", folder / "root", *words])
        argv, _, seen = ran.stdout.partition("\0\0")
        report.equal(f"bare {target} words", argv.split("\0"), BARE_WORDS)
        found = dict(item.split("=", 1) for item in seen.split("\0") if "=" in item)
        report.equal(f"bare {target} variables", {name: found.get(name) for name in ("MODE", "MUSTER_NAME")}, {"MODE": 'x $(Y) "z"', "MUSTER_NAME": "bare"})
    return None


def judge(report, shop):
    try:
        import yaml  # noqa: F401
    except ImportError:
        return report.skip("python3-yaml", "pod-scripts", "python3-yaml is not installed")
    machine = pods.Machine(shop.place("pod-scripts/machine"))
    texts = {}
    for emitted in manifests.emitted(report, shop):
        starts(report, machine, emitted)
        for name, text in [*scripts_of(pods.read(emitted.path)), *inline_of(pods.read(emitted.path))]:
            texts.setdefault(re.sub(r"-[0-9a-f]{8}\b", "", text), f"{emitted.label} {name}")
    folder = shop.place("pod-scripts/texts")
    for number, (text, label) in enumerate(texts.items()):
        path = folder / f"{number}.sh"
        path.write_text(text)
        reads(report, label, path)
    for path in lib.broken_files("pod-scripts", ".sh"):
        lib.must_reject(report, path, lambda inner, path=path: reads(inner, path.name, path))
    for spec in sorted(SPECS.glob("*.muster")):
        for target in manifests.targets(shop):
            hostile(report, shop, machine, spec, target)
    return without_a_shell(report, shop)

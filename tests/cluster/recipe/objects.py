"""The CRDs and webhooks of the operators, and Trainer's runtimes, out of the modules' own files, as JSON lists.
Webhooks call 127.0.0.1 in place of a Service, and trust `@CA@`, which the start of a cluster replaces. Of modules that
have not been fetched nothing is written.
usage: objects.py FOLDER"""
import json
import pathlib
import re
import subprocess
import sys

import yaml

MODULES = pathlib.Path(subprocess.check_output(["go", "env", "GOMODCACHE"], text=True).strip())
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
HERE = "kubernetes.io/metadata.name"
# name: module, files of CRDs, files of webhooks, port, prefix of the webhooks' names (None: names of WEBHOOKS)
OPERATORS = {
    "kueue": ("sigs.k8s.io/kueue@v0.19.2", ["config/components/crd/bases/*.yaml"], ["config/components/webhook/manifests.yaml"], 9453, "kueue-"),
    "jobset": ("sigs.k8s.io/jobset@v0.12.0", ["config/components/crd/bases/*.yaml"], ["config/components/webhook/manifests.yaml"], 9444, "jobset-"),
    "lws": ("sigs.k8s.io/lws@v0.9.0", ["config/crd/bases/*.yaml"], ["config/webhook/manifests.yaml"], 9445, "lws-"),
    "training-operator": ("github.com/kubeflow/training-operator@v1.9.4", ["manifests/base/crds/kubeflow.org_*.yaml"], ["manifests/base/webhook/manifests.yaml"], 9446, None),
    "trainer": ("github.com/kubeflow/trainer/v2@v2.3.0", ["manifests/base/crds/trainer*.yaml"], ["manifests/base/webhook/manifests.yaml"], 9447, None),
    "kuberay": ("github.com/ray-project/kuberay/ray-operator@v1.6.2", ["config/crd/bases/*.yaml"], ["config/webhook/manifests.yaml"], 9443, "kuberay-"),
    "mpi-operator": ("github.com/kubeflow/mpi-operator@v0.8.2", ["manifests/base/kubeflow.org_mpijobs.yaml"], [], 0, None),
    "volcano": ("volcano.sh/volcano@v1.15.1", ["config/crd/volcano/bases/*.yaml", "config/crd/jobflow/bases/*.yaml"], ["installer/volcano-development.yaml"], 9449, ""),
    "keda": ("github.com/kedacore/keda/v2@v2.21.0", ["config/crd/bases/*.yaml"], ["config/webhooks/validation_webhooks.yaml"], 9451, ""),
    "kai": ("github.com/NVIDIA/KAI-scheduler@v0.12.0", ["deployments/kai-scheduler/crds/*.yaml"], [], 0, None),
}
WEBHOOKS = {"training-operator": "validator.training-operator.kubeflow.org", "trainer": "validator.trainer.kubeflow.org"}


def folder_of(module):
    """Where the module is, if it has been fetched: capital letters are written `!a` there."""
    return MODULES / re.sub("[A-Z]", lambda letter: "!" + letter[0].lower(), module)


def documents(root, patterns):
    for pattern in patterns:
        for path in sorted(root.glob(pattern)):
            if path.name != "kustomization.yaml":
                yield from ((path, document) for document in yaml.load_all(path.read_text(), LOADER) if document)


def without_descriptions(node):
    """Of a schema: an authority needs none, and they are most of its size."""
    if isinstance(node, dict):
        return {key: without_descriptions(value) for key, value in node.items() if not (key == "description" and isinstance(value, str))}
    return [without_descriptions(item) for item in node] if isinstance(node, list) else node


def definitions(name, root, patterns):
    for path, document in documents(root, patterns):
        if document.get("kind") != "CustomResourceDefinition" or (name == "training-operator" and "mpijobs" in path.name):
            continue  # one MPIJob a cluster: that of the MPI operator
        document["spec"].pop("conversion", None)
        document.pop("status", None)
        yield without_descriptions(document)


def configurations(name, root, patterns, port, prefix):
    for _, document in documents(root, patterns):
        if document.get("kind") not in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
            continue
        meta = document["metadata"]
        if prefix is not None:
            meta["name"] = prefix + meta["name"]
        else:
            meta["name"] = "defaulter.trainer.kubeflow.org" if name == "trainer" and document["kind"].startswith("Mut") else WEBHOOKS[name]
        meta.pop("namespace", None)
        for webhook in document["webhooks"]:
            path = webhook["clientConfig"]["service"].get("path", "")
            webhook["clientConfig"] = {"url": f"https://127.0.0.1:{port}{path}", "caBundle": "@CA@"}
            webhook["timeoutSeconds"] = 10
            if name in ("kueue", "jobset") and any("pods" in rule["resources"] for rule in webhook["rules"]):
                systems = [f"{system}-system" for system in ("kube", "kueue", "jobset", "volcano")]
                webhook["namespaceSelector"] = {"matchExpressions": [{"key": HERE, "operator": "NotIn", "values": systems}]}
                if name == "jobset":
                    webhook["objectSelector"] = {"matchExpressions": [{"key": "jobset.sigs.k8s.io/jobset-name", "operator": "Exists"}]}
        if name == "kuberay":  # the only one that its main registers
            document["webhooks"] = [webhook for webhook in document["webhooks"] if webhook["name"] == "vraycluster.kb.io"]
        yield document


def write(path, items):
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)}) + "\n")


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    for name, (module, crds, hooks, port, prefix) in OPERATORS.items():
        root = folder_of(module)
        if not root.is_dir():
            continue
        write(out / f"{name}.crds.json", definitions(name, root, crds))
        if hooks:
            write(out / f"{name}.webhooks.json", configurations(name, root, hooks, port, prefix))
    runtimes = folder_of(OPERATORS["trainer"][0]) / "manifests/base/runtimes"
    if runtimes.is_dir():
        write(out / "trainer.runtimes.json", (document for path, document in documents(runtimes, ["**/*.yaml"]) if "data-cache" not in path.parts))


main(pathlib.Path(sys.argv[1]))

#!/usr/bin/env python3
"""Writes targets/kubernetes/schema_table.inc: which fields the kinds of a manifest have and what each takes.

    MUSTER_SHARED=FOLDER tests/judges/manifest_schema.py [--check]

It reads the schemas of Kubernetes and of the operators below FOLDER/schemas and keeps names, types and values alone.
Releases of one kind are joined: what one of them has, the table has (targets/kubernetes/gate_rows.cc says which).
What an operator repeats of Kubernetes, such as the spec of a pod, is Kubernetes' own. Needs PyYAML.
"""
import json
import os
import sys

import yaml

try:
    from yaml import CSafeLoader as Loader
except ImportError:
    from yaml import SafeLoader as Loader

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = os.path.join(ROOT, "targets/kubernetes/schema_table.inc")
CORE = ("1.36", "1.37")
CORE_KINDS = """ConfigMap CronJob DaemonSet Deployment HorizontalPodAutoscaler Ingress Job LimitRange Namespace
NetworkPolicy PersistentVolume PersistentVolumeClaim Pod PodDisruptionBudget PodTemplate PriorityClass ReplicaSet
ResourceClaim ResourceClaimTemplate ResourceQuota RuntimeClass Secret Service ServiceAccount StatefulSet
StorageClass Role RoleBinding ClusterRole ClusterRoleBinding""".split()
# Name of the operator and newest release, files. The releases before are those whose files are there.
OPERATORS = [
    ("Training Operator 1.9", "kubeflow.org_pytorchjob"),
    ("MPI Operator 0.8", "kubeflow.org_mpijob_v1"),
    ("MPI Operator 0.8", "kubeflow.org_mpijob_v2beta1"),
    ("Trainer 2.3", "trainer.kubeflow.org_trainjob"),
    ("Trainer 2.3", "trainer.kubeflow.org_trainingruntime"),
    ("Trainer 2.3", "trainer.kubeflow.org_clustertrainingruntime"),
    ("JobSet 0.12", "jobset.x-k8s.io_jobset"),
    ("KubeRay 1.7", "ray.io_raycluster"),
    ("KubeRay 1.7", "ray.io_rayjob"),
    ("KubeRay 1.7", "ray.io_rayservice"),
    ("KubeRay 1.7", "ray.io_raycronjob"),
    ("LeaderWorkerSet 0.10", "leaderworkerset.x-k8s.io_leaderworkerset"),
    ("LeaderWorkerSet 0.10", "disaggregatedset.x-k8s.io_disaggregatedset"),
    ("Volcano 1.15", "batch.volcano.sh_job"),
    ("Volcano 1.15", "batch.volcano.sh_cronjob"),
    ("Volcano 1.15", "scheduling.volcano.sh_podgroup"),
    ("Volcano 1.15", "scheduling.volcano.sh_queue"),
    ("Kueue 0.19", "kueue.x-k8s.io_clusterqueue"),
    ("Kueue 0.19", "kueue.x-k8s.io_localqueue"),
    ("Kueue 0.19", "kueue.x-k8s.io_resourceflavor"),
    ("Kueue 0.19", "kueue.x-k8s.io_cohort"),
    ("Kueue 0.19", "kueue.x-k8s.io_topology"),
    ("Kueue 0.19", "kueue.x-k8s.io_workloadpriorityclass"),
    ("Kueue 0.19", "kueue.x-k8s.io_admissioncheck"),
    ("Grove", "grove.io_podcliqueset"),
    ("Grove", "grove.io_podclique"),
    ("Grove", "grove.io_podcliquescalinggroup"),
    ("KAI Scheduler 0.17", "scheduling.run.ai_queue"),
    ("KAI Scheduler 0.17", "scheduling.run.ai_podgroup"),
    ("KAI Scheduler 0.17", "kai.scheduler_topology"),
    ("Volcano 1.15", "topology.volcano.sh_hypernode"),
    ("Volcano 1.15", "flow.volcano.sh_jobflow"),
    ("Volcano 1.15", "flow.volcano.sh_jobtemplate"),
    ("Kueue 0.19", "kueue.x-k8s.io_provisioningrequestconfig"),
    ("scheduler-plugins 0.34", "scheduling.x-k8s.io_podgroup"),
    ("NVIDIA DRA driver 0.4", "resource.nvidia.com_computedomain"),
    ("Slinky 1.2", "slinky.slurm.net_nodeset"),
    ("KEDA 2.20", "keda.sh_scaledobject"),
]
# What releases before those had, and gate_rows.cc knows.
GONE = {"PodSpec": ["workloadRef"], "PodResourceClaim": ["source"]}
# Kubernetes' own schema lists no values: those of its API reference, by definition and field.
VALUES = {
    "PodSpec": {
        "restartPolicy": "Always OnFailure Never",
        "dnsPolicy": "ClusterFirst ClusterFirstWithHostNet Default None",
        "preemptionPolicy": "PreemptLowerPriority Never",
    },
    "Container": {
        "imagePullPolicy": "Always IfNotPresent Never",
        "terminationMessagePolicy": "File FallbackToLogsOnError",
    },
    "ContainerPort": {"protocol": "TCP UDP SCTP"},
    "ServicePort": {"protocol": "TCP UDP SCTP"},
    "ServiceSpec": {
        "type": "ClusterIP NodePort LoadBalancer ExternalName",
        "sessionAffinity": "ClientIP None",
        "externalTrafficPolicy": "Cluster Local",
        "internalTrafficPolicy": "Cluster Local",
        "ipFamilyPolicy": "SingleStack PreferDualStack RequireDualStack",
    },
    "JobSpec": {"completionMode": "NonIndexed Indexed", "podReplacementPolicy": "TerminatingOrFailed Failed"},
    "CronJobSpec": {"concurrencyPolicy": "Allow Forbid Replace"},
    "DeploymentStrategy": {"type": "Recreate RollingUpdate"},
    "StatefulSetUpdateStrategy": {"type": "RollingUpdate OnDelete"},
    "DaemonSetUpdateStrategy": {"type": "RollingUpdate OnDelete"},
    "StatefulSetSpec": {"podManagementPolicy": "OrderedReady Parallel"},
    "Toleration": {"operator": "Exists Equal Lt Gt", "effect": "NoSchedule PreferNoSchedule NoExecute"},
    "NodeSelectorRequirement": {"operator": "In NotIn Exists DoesNotExist Gt Lt"},
    "LabelSelectorRequirement": {"operator": "In NotIn Exists DoesNotExist"},
    "TopologySpreadConstraint": {
        "whenUnsatisfiable": "DoNotSchedule ScheduleAnyway",
        "nodeAffinityPolicy": "Honor Ignore",
        "nodeTaintsPolicy": "Honor Ignore",
    },
    "HostPathVolumeSource": {
        "type": "DirectoryOrCreate Directory FileOrCreate File Socket CharDevice BlockDevice",
    },
    "PersistentVolumeClaimSpec": {
        "volumeMode": "Block Filesystem",
        "accessModes": "ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod",
    },
    "PersistentVolumeSpec": {
        "volumeMode": "Block Filesystem",
        "accessModes": "ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod",
        "persistentVolumeReclaimPolicy": "Retain Delete Recycle",
    },
    "HTTPGetAction": {"scheme": "HTTP HTTPS"},
    "HTTPIngressPath": {"pathType": "Exact Prefix ImplementationSpecific"},
    "PodFailurePolicyRule": {"action": "FailJob FailIndex Ignore Count"},
    "PodFailurePolicyOnExitCodesRequirement": {"operator": "In NotIn"},
    "SeccompProfile": {"type": "Unconfined RuntimeDefault Localhost"},
}


class Core:
    """The definitions of Kubernetes, joined over releases."""

    def __init__(self, shared):
        self.raw, self.kinds, self.memo = {}, {}, {}
        for release in CORE:
            data = json.load(open(f"{shared}/schemas/core/kubernetes-{release}.json"))
            for name, definition in data["definitions"].items():
                old = self.raw.setdefault(name, {"properties": {}})
                properties = {**old.get("properties", {}), **definition.get("properties", {})}
                for gone in GONE.get(name.rsplit(".", 1)[-1], []):
                    properties.setdefault(gone, {})
                self.raw[name] = {**definition, "properties": properties}
            for k in data["kinds"]:
                if k["kind"] in CORE_KINDS:
                    version = (k["group"] + "/" if k["group"] else "") + k["version"]
                    self.kinds[version, k["kind"]] = k["definition"]
        self.by_fields = {}

    def definition(self, name):
        """Of a name such as io.k8s.api.core.v1.PodSpec."""
        if name.endswith((".IntOrString",)):
            return ("whole_or_text",)
        if name.endswith((".Quantity",)):
            return ("quantity",)
        if name.endswith((".FieldsV1", ".JSON", ".RawExtension")):
            return ("any",)
        if name not in self.memo:
            self.memo[name] = ("any",)
            self.memo[name] = self.schema(self.raw[name], name.rsplit(".", 1)[-1])
        return self.memo[name]

    def schema(self, s, owner="", values=None):
        if "$ref" in s:
            return self.definition(s["$ref"].rsplit("/", 1)[-1])
        kind = s.get("type")
        if kind == "array":
            return ("list", self.schema(s["items"], values=values))
        if s.get("properties"):
            return ("object", tuple(sorted(
                (n, ("any",) if n == "status" else self.schema(p, values=VALUES.get(owner, {}).get(n)))
                for n, p in s["properties"].items())))
        if "additionalProperties" in s:
            return ("map", self.schema(s["additionalProperties"]))
        if kind == "string":
            return ("text", tuple(values.split()) if values else ())
        return {"integer": ("whole",), "number": ("number",), "boolean": ("boolean",)}.get(kind, ("any",))

    def like(self, names):
        """The definition that an operator's object repeats: one with all of its fields and few others."""
        if not self.by_fields:
            for name, d in self.raw.items():
                if len(d["properties"]) > 1:
                    self.by_fields[name] = set(d["properties"])
        best = None
        for name, fields in self.by_fields.items():
            if names <= fields and len(names) >= 0.75 * len(fields) and (best is None or len(fields) < best[0]):
                best = (len(fields), name)
        return best and best[1]


def of_crd(core, s, key=""):
    if s.get("x-kubernetes-int-or-string"):
        return ("quantity",) if "pattern" in s else ("whole_or_text",)
    kind = s.get("type")
    if kind == "array":
        return ("list", of_crd(core, s["items"]))
    names = set(s.get("properties", {}))
    metadata = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
    if key == "metadata" and "additionalProperties" not in s and names <= set(core.raw[metadata]["properties"]):
        return core.definition(metadata)
    pod = core.raw["io.k8s.api.core.v1.PodSpec"]["properties"]
    if {"containers", "volumes", "nodeSelector"} <= names <= set(pod):
        return core.definition("io.k8s.api.core.v1.PodSpec")
    if names:
        if s.get("x-kubernetes-preserve-unknown-fields"):
            return ("any",)
        fields = {n: ("any",) if n == "status" else of_crd(core, p, n) for n, p in s["properties"].items()}
        own = ("object", tuple(sorted(fields.items())))
        same = core.like(names) if len(names) > 1 and "apiVersion" not in names else None
        return core.definition(same) if same and is_part(own, core.definition(same)) else own
    if isinstance(s.get("additionalProperties"), dict):
        return ("map", of_crd(core, s["additionalProperties"]))
    if kind == "string":
        return ("text", tuple(str(v) for v in s.get("enum", []) if v not in (None, "")))
    return {"integer": ("whole",), "number": ("number",), "boolean": ("boolean",)}.get(kind, ("any",))


def is_part(a, b):
    """Whether b has every field of a."""
    if a == b or b[0] == "any":
        return True
    if a[0] == b[0] == "object":
        fields = dict(b[1])
        return all(n in fields and is_part(t, fields[n]) for n, t in a[1])
    if a[0] == b[0] and a[0] in ("list", "map"):
        return is_part(a[1], b[1])
    return a[0] == b[0] or {a[0], b[0]} <= {"whole", "number", "whole_or_text", "quantity", "text"}


def joined(a, b):
    """What either of two releases takes."""
    if a == b:
        return a
    if a[0] == b[0] == "object":
        left, right = dict(a[1]), dict(b[1])
        both = {n: joined(left.get(n, right.get(n)), right.get(n, left.get(n))) for n in {*left, *right}}
        return ("object", tuple(sorted(both.items())))
    if a[0] == b[0] and a[0] in ("list", "map"):
        return (a[0], joined(a[1], b[1]))
    if a[0] == b[0] == "text":
        return ("text", tuple(sorted({*a[1], *b[1]})) if a[1] and b[1] else ())
    return ("any",)


def old_kind(spec):
    """The kind whose older releases there are: a TrainingRuntime is what a ClusterTrainingRuntime is."""
    kind = spec["names"]["kind"]
    return "ClusterTrainingRuntime" if kind == "TrainingRuntime" else kind


def crd_kinds(core, shared):
    """The served versions of the kinds of the operators, each joined over the releases that are there."""
    def read(path):
        return yaml.load(open(path), Loader)["spec"]

    out, old = {}, f"{shared}/schemas/crds-old"
    before = [read(f"{old}/{f}") for f in sorted(os.listdir(old))]
    for release, name in OPERATORS:
        newest = read(f"{shared}/schemas/crds/{name}.yaml")
        same = [s for s in before if s["group"] == newest["group"] and old_kind(s) == old_kind(newest)]
        for spec in [newest, *same]:
            for version in spec["versions"]:
                if not version.get("served", True) or "schema" not in version:
                    continue
                key = (f"{spec['group']}/{version['name']}", newest["names"]["kind"])
                schema = of_crd(core, version["schema"]["openAPIV3Schema"])
                out[key] = (joined(out[key][0], schema) if key in out else schema, release)
    return out


class Table:
    """Types by number: each once."""

    def __init__(self):
        self.ids, self.types, self.fields, self.values = {}, [], [], []

    def add(self, t):
        if t in self.ids:
            return self.ids[t]
        shape = t[0]
        if shape == "object":
            rows = [(n, self.add(x)) for n, x in t[1]]
            row = (shape, len(self.fields), len(rows))
            self.fields += rows
        elif shape in ("list", "map"):
            row = (shape, self.add(t[1]), 0)
        elif shape == "text" and t[1]:
            row = (shape, len(self.values), len(t[1]))
            self.values += t[1]
        else:
            row = (shape, 0, 0)
        self.ids[t] = len(self.types)
        self.types.append(row)
        return self.ids[t]


def lines_of(cells):
    out, line = [], ""
    for cell in cells:
        if line and len(line) + len(cell) + 1 > 118:
            out.append(line)
            line = ""
        line += (" " if line else "  ") + cell
    return out + ([line] if line else [])


def written(shared):
    core, table = Core(shared), Table()
    kinds = {key: (core.definition(name), "Kubernetes " + CORE[-1]) for key, name in core.kinds.items()}
    kinds |= crd_kinds(core, shared)
    rows = [(version, kind, table.add(t), release) for (version, kind), (t, release) in sorted(kinds.items())]
    out = ["// Written by tests/judges/manifest_schema.py from the schemas of Kubernetes and operators: do not edit."]
    out.append("// The fields of the kinds, what each takes, and the values of those that list them.")
    out.append("constexpr SchemaField schema_fields[] = {")
    out += lines_of([f'{{"{n}", {t}}},' for n, t in table.fields])
    out += ["};", "constexpr SchemaType schema_types[] = {"]
    out += lines_of([f"{{Shape::{s}, {a}, {n}}}," for s, a, n in table.types])
    out += ["};", "constexpr std::string_view schema_values[] = {"]
    out += lines_of([f'"{v}",' for v in table.values])
    out += ["};", "constexpr SchemaKind schema_kinds[] = {"]
    out += [f'  {{"{v}", "{k}", {t}, "{r}"}},' for v, k, t, r in rows]
    return "\n".join(out + ["};", ""])


def main():
    shared = os.environ.get("MUSTER_SHARED")
    if not shared or not os.path.isdir(shared + "/schemas"):
        sys.exit("MUSTER_SHARED must name the folder that holds schemas/")
    text = written(shared)
    if "--check" in sys.argv[1:]:
        if open(OUT).read() != text:
            sys.exit("targets/kubernetes/schema_table.inc is stale: run tests/judges/manifest_schema.py")
        return
    open(OUT, "w").write(text)


if __name__ == "__main__":
    main()

"""Copies of two modules in recipe/overlay, changed so that they build with the Kubernetes of go.mod: KubeRay 1.6 is
written for an older controller-runtime, Volcano 1.15 for Kubernetes 1.35 and for a module of types that the proxy lacks."""
import pathlib
import re
import shutil
import subprocess

MODULES = pathlib.Path(subprocess.check_output(["go", "env", "GOMODCACHE"], text=True).strip())
OUT = pathlib.Path(__file__).resolve().parent / "overlay"
TRACKER = """package {package}

import (
	"time"

	"k8s.io/client-go/tools/cache"
)

type doneChecker struct{{ done chan struct{{}} }}

func (c *doneChecker) Name() string          {{ return "tracker" }}
func (c *doneChecker) Done() <-chan struct{{}} {{ return c.done }}

// HasSyncedChecker is what Kubernetes 1.36 asks of a handler's registration besides HasSynced.
func (tracker *InitialEventAsyncHandlerTracker) HasSyncedChecker() cache.DoneChecker {{
	c := &doneChecker{{make(chan struct{{}})}}
	go func() {{
		for !tracker.HasSynced() {{
			time.Sleep(50 * time.Millisecond)
		}}
		close(c.done)
	}}()
	return c
}}
"""


def copy(module, name):
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(MODULES / module, folder, ignore=shutil.ignore_patterns("docs", "test", "benchmark", "example", "hack"))
    subprocess.run(["chmod", "-R", "u+w", str(folder)], check=True)
    return folder


def edit(path, *pairs):
    text = path.read_text()
    for old, new in pairs:
        assert old in text, (path, old)
        text = text.replace(old, new)
    path.write_text(text)


def kuberay():
    for path in (copy("github.com/ray-project/kuberay/ray-operator@v1.6.2", "kuberay") / "pkg/webhooks/v1").glob("*_webhook.go"):
        pattern = r"NewWebhookManagedBy\(mgr\)\.\s*For\((&\w+\.\w+\{\})\)\.\s*WithValidator\("
        path.write_text(re.sub(pattern, r"NewWebhookManagedBy(mgr, \1).WithCustomValidator(", path.read_text()))


def volcano():
    types = copy("volcano.sh/apis@v1.14.0", "volcano-apis")
    (types / "pkg/apis/scheduling/v1beta1/later.go").write_text('package v1beta1\n\nconst QueueAllocationGateKey = "scheduling.volcano.sh/queue-allocation-gate"\n')
    root = copy("volcano.sh/volcano@v1.15.1", "volcano")
    scheduler = root / "pkg/scheduler"
    edit(scheduler / "capabilities/volumebinding/binder.go", ("fts.EnableCSIMigrationPortworx", "true"))
    edit(scheduler / "plugins/predicates/predicates.go",
         ("		EnableCSIMigrationPortworx:                   utilFeature.DefaultFeatureGate.Enabled(features.CSIMigrationPortworx),\n", ""))
    binding = scheduler / "capabilities/volumebinding/volume_binding.go"
    before, after = binding.read_text().split("func (pl *VolumeBinding) PreBindPreFlight(", 1)
    body, rest = after.split("\n}\n", 1)
    body = body.replace("nodeName string) *fwk.Status", "nodeName string) (*fwk.PreBindPreFlightResult, *fwk.Status)").replace("return fwk.", "return nil, fwk.")
    binding.write_text(f"{before}func (pl *VolumeBinding) PreBindPreFlight({body}\n}}\n{rest}")
    for path in scheduler.rglob("*.go"):
        text = path.read_text()
        new = text.replace("Resource().V1alpha3().DeviceTaintRules()", "Resource().V1beta2().DeviceTaintRules()").replace("volumeutil.GetCSIAttachLimitKey(", "csiAttachLimitKey(")
        if path.name == "event_handlers.go":
            new = "\n".join(line for line in new.split("\n") if '"k8s.io/kubernetes/pkg/volume/util"' not in line)
        if new != text:
            path.write_text(new)
    (scheduler / "cache/limits.go").write_text(
        "package cache\n\n// csiAttachLimitKey is volumeutil.GetCSIAttachLimitKey of Kubernetes 1.35 for names of usual length.\n"
        'func csiAttachLimitKey(driver string) string { return "attachable-volumes-csi-" + driver }\n')
    tracker = next(path for path in (root / "pkg/schedulercommon/cache").glob("*.go") if "type InitialEventAsyncHandlerTracker" in path.read_text())
    package = re.search(r"^package (\w+)", tracker.read_text(), re.M)[1]
    tracker.with_name("done_checker.go").write_text(TRACKER.format(package=package))


kuberay()
volcano()

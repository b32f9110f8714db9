// K8S009 ipc-lock-not-root, K8S010 karpenter-gpu-name, K8S011 gpus-by-environment: what pods say about the devices of
// their nodes, where Kubernetes takes it in another way.
#include <algorithm>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

// ---- K8S009 ------------------------------------------------------------------------------------------

// A key of the security context: the container's own, else the pod's.
Field security_of(const PodTemplate& pods, const Container& c, std::string_view key) {
  const Field own = c.field.get("securityContext").get(key);
  return own ? own : pods.spec.get("securityContext").get(key);
}

// The field by which the container runs as another user than root; false where the image decides.
Field not_root(const PodTemplate& pods, const Container& c) {
  if (const Field user = security_of(pods, c, "runAsUser")) return user.whole().value_or(0) > 0 ? user : Field{};
  const Field only = security_of(pods, c, "runAsNonRoot");
  return only.is_true() ? only : Field{};
}

void check_lock(const ManifestScene& scene, const Object& object, const PodTemplate& pods, const Container& c) {
  const Field user = not_root(pods, c);
  if (!user || c.field.at("securityContext.privileged").is_true()) return;
  for (const Field& capability : c.field.at("securityContext.capabilities.add").items()) {
    if (capability.text() != "IPC_LOCK") continue;
    Finding& f = scene.wrong(RuleId::ipc_lock_not_root, object, capability,
                             "`IPC_LOCK` has no effect, because " + quoted(c.name) + " does not run as root",
                             "its limit of locked memory stays as it is");
    f.labels.push_back({user.span(), "the user"});
  }
}

// ---- K8S010 ------------------------------------------------------------------------------------------

constexpr std::string_view gpu_name_label = "karpenter.k8s.aws/instance-gpu-name";
constexpr std::string_view type_label = "node.kubernetes.io/instance-type";

// "p5.48xlarge"; the name of a GPU, such as "h100", has no dot.
bool is_instance_type(std::string_view value) {
  return !blank_in(value, In::yaml) && value.find('.') != std::string_view::npos;
}

// `label` is the text to replace where the label is the wrong one.
void add_instance_type(const ManifestScene& scene, const Object& object, const Field& value, Span label) {
  Finding& f = scene.wrong(
      RuleId::karpenter_gpu_name, object, value,
      quoted(value.text()) + " is an instance type, but `" + std::string(gpu_name_label) + "` holds the name of a GPU",
      "no node has this label, so the pods stay pending");
  if (label.known() && !value.aliased)
    f.fix = Fix{"use the label of instance types", true, {{label, std::string(type_label)}}};
}

void check_gpu_name(const ManifestScene& scene, const Object& object, const PodTemplate& pods) {
  const Field selector = pods.spec.get("nodeSelector");
  if (const Field value = selector.get(gpu_name_label); is_instance_type(value.text()))
    add_instance_type(scene, object, value, selector.get(type_label) ? Span{} : value.key_span);
  const auto terms = matches(pods.spec,
                             "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[]."
                             "matchExpressions[]");
  for (const Field& term : terms) {
    const auto values = term.get("values").items();
    const bool all =
        std::all_of(values.begin(), values.end(), [](const Field& v) { return is_instance_type(v.text()); });
    if (term.get("key").text() == gpu_name_label && term.get("operator").text() == "In" && all && !values.empty())
      add_instance_type(scene, object, values.front(), term.get("key").span());
  }
}

// ---- K8S011 ------------------------------------------------------------------------------------------

void check_visible(const ManifestScene& scene, const Object& object, const Container& c) {
  for (const Field& variable : c.field.get("env").items()) {
    const Field value = variable.get("value");
    if (variable.get("name").text() != "NVIDIA_VISIBLE_DEVICES" || !value || blank_in(value.text(), In::yaml)) continue;
    if (value.text().empty() || value.text() == "none" || value.text() == "void") continue;
    scene.wrong(RuleId::gpus_by_environment, object, value,
                "`NVIDIA_VISIBLE_DEVICES` gives " + quoted(c.name) + " GPUs that it does not request",
                c.has_accelerator() ? "it replaces the GPUs that the device plugin assigned"
                                    : "the scheduler may give them to other pods as well");
  }
}

}  // namespace

// Agents of the nodes (a DaemonSet) see all GPUs on purpose.
void check_devices(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects)
    for (const PodTemplate& pods : object.pods) {
      check_gpu_name(scene, object, pods);
      for (const Container& c : pods.containers) {
        check_lock(scene, object, pods, c);
        if (object.kind != "DaemonSet") check_visible(scene, object, c);
      }
    }
}

}  // namespace muster::lint

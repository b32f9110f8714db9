// K8S032 restart-policy-overwritten, K8S033 task-never-completes, K8S036 host-port-of-roles, IMG002 image-without-tpu:
// what the operator or the image makes of the pods, other than the file says.
#include <algorithm>
#include <map>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

// ---- K8S032 ------------------------------------------------------------------------------------------

// What the MPI operator writes into the pods of a role.
std::string_view policy_of(const PodTemplate& pods) {
  const Field own = pods.holder.get("restartPolicy");
  if (own) return own.text();
  return pods.role == "Launcher" ? "OnFailure" : "Never";
}

void check_overwritten(const ManifestScene& scene, const Object& object, const PodTemplate& pods) {
  const Field policy = pods.spec.get("restartPolicy");
  const std::string_view used = policy_of(pods);
  if (!policy || policy.text() == used || blank_in(policy.text(), In::yaml) || blank_in(used, In::yaml)) return;
  const Field own = pods.holder.get("restartPolicy");
  Finding& f = scene.wrong(RuleId::restart_policy_overwritten, object, policy,
                           "the MPI operator replaces `restartPolicy: " + std::string(policy.text()) + "` of " +
                               quoted(pods.role) + " with " + quoted(used),
                           own ? "" : "the default of this role");
  if (own) f.labels.push_back({own.span(), "this one applies"});
  f.notes.push_back("write `restartPolicy` beside `replicas` and remove it from the pod template");
}

// ---- K8S033 ------------------------------------------------------------------------------------------

void check_completion(const ManifestScene& scene, const Object& object, const PodTemplate& pods) {
  for (const Field& policy : pods.holder.get("policies").items()) {
    std::vector<Field> events = policy.get("events").items();
    if (const Field event = policy.get("event")) events.push_back(event);
    const auto waits =
        std::find_if(events.begin(), events.end(), [](const Field& e) { return e.text() == "TaskCompleted"; });
    const Field restart = pods.spec.get("restartPolicy");
    if (waits == events.end() || (restart && restart.text() != "Always")) continue;
    Finding& f = scene.wrong(
        RuleId::task_never_completes, object, restart ? restart : *waits,
        "the pods of " + quoted(pods.role) + " are always restarted, so `TaskCompleted` never occurs",
        restart ? "the program runs again each time it ends" : "the default of `restartPolicy` is `Always`");
    if (restart) f.labels.push_back({waits->span(), "waits for pods that succeed"});
    return;
  }
}

// ---- K8S036 ------------------------------------------------------------------------------------------

std::vector<Field> host_ports(const PodTemplate& pods) {
  std::vector<Field> out;
  if (!pods.spec.get("hostNetwork").is_true()) return out;
  for (const Container& c : pods.containers)
    for (const Field& port : c.field.get("ports").items())
      if (const Field number = port.get("containerPort"); number.whole()) out.push_back(number);
  return out;
}

void check_host_ports(const ManifestScene& scene, const Object& object) {
  std::map<std::int64_t, std::pair<const PodTemplate*, Field>> first;  // by port
  for (const PodTemplate& pods : object.pods)
    for (const Field& port : host_ports(pods)) {
      const auto [found, is_new] = first.try_emplace(*port.whole(), &pods, port);
      const auto& [role, other] = found->second;
      if (is_new || role == &pods) continue;
      Finding& f = scene.wrong(RuleId::host_port_of_roles, object, other,
                               "pods of " + quoted(role->role) + " and " + quoted(pods.role) +
                                   " cannot share a node: both need its port " + std::string(port.text()),
                               "`hostNetwork` makes it a port of the node");
      f.labels.push_back({port.span(), "the same port"});
      return;
    }
}

// ---- IMG002 ------------------------------------------------------------------------------------------

// The official images of TensorFlow, which are built for CPUs and CUDA.
bool is_tensorflow_image(std::string_view image) {
  for (const std::string_view registry : {"docker.io/", "index.docker.io/", "registry.hub.docker.com/"})
    if (image.starts_with(registry)) image.remove_prefix(registry.size());
  return image == "tensorflow/tensorflow" || image.starts_with("tensorflow/tensorflow:") ||
         image.starts_with("tensorflow/tensorflow@");
}

void check_tpu_image(const ManifestScene& scene, const Object& object, const Container& c) {
  const Field image = c.field.get("image");
  const bool tpu = c.limit("google.com/tpu") || c.request("google.com/tpu");
  if (!tpu || !is_tensorflow_image(image.text())) return;
  const bool installs = std::any_of(c.words.begin(), c.words.end(), [](const k8s::Word& w) {
    return w.text.find("tpu") != std::string::npos && w.text.find('/') == std::string::npos;
  });
  if (installs) return;
  Finding& f = scene.wrong(RuleId::image_without_tpu, object, image, quoted(image.text()) + " has no support for TPUs",
                           "the program runs on the CPU");
  f.labels.push_back({(c.limit("google.com/tpu") ? c.limit("google.com/tpu") : c.request("google.com/tpu")).span(),
                      "these stay idle"});
}

}  // namespace

void check_overwritten(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    check_host_ports(scene, object);
    for (const PodTemplate& pods : object.pods) {
      if (object.api_version == "kubeflow.org/v2beta1" && object.kind == "MPIJob")
        check_overwritten(scene, object, pods);
      if (object.is("batch.volcano.sh", "Job")) check_completion(scene, object, pods);
      for (const Container& c : pods.containers) check_tpu_image(scene, object, c);
    }
  }
}

}  // namespace muster::lint

// What operators add to the pods of an object.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/kubernetes/read/cluster.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::targets::kubernetes {
namespace {

using model::AddedAs;
using model::AddedPod;
using model::AddedWhen;

// Where an object of Ray's has its cluster.
Field ray_cluster(const Object& object) {
  for (const char* path : {"spec.rayClusterSpec", "spec.rayClusterConfig"})
    if (Field cluster = object.root.at(path)) return cluster;
  return object.root.get("spec");
}

bool is_added(const Object& object, AddedWhen when) {
  const std::string_view mode = object.root.at("spec.submissionMode").text();
  switch (when) {
    case AddedWhen::always: return true;
    case AddedWhen::grows: return ray_cluster(object).get("enableInTreeAutoscaling").is_true();
    case AddedWhen::submits: return mode.empty() || mode == "K8sJobMode";
    case AddedWhen::submits_from_head: return mode == "SidecarMode";
    case AddedWhen::has_master: return bool(object.root.at("spec.pytorchReplicaSpecs.Master"));
  }
  return false;
}

// The object has a template of its own for it.
bool has_template(const Object& object, const AddedPod& row) {
  return row.as == AddedAs::pod && std::any_of(object.pods.begin(), object.pods.end(), [&](const PodTemplate& pods) {
           return equal_ignoring_case(pods.role, row.name);
         });
}

Field stated_field(const Object& object, AddedWhen when) {
  switch (when) {
    case AddedWhen::grows: return ray_cluster(object).get("enableInTreeAutoscaling");
    case AddedWhen::submits:
    case AddedWhen::submits_from_head: return object.root.at("spec.submissionMode");
    case AddedWhen::always:
    case AddedWhen::has_master: break;
  }
  return {};
}

}  // namespace

std::vector<Added> added_to(const Object& object) {
  std::vector<Added> out;
  if (object.known == nullptr) return out;
  for (const AddedPod& row : object.known->added()) {
    if (!is_added(object, row.when) || has_template(object, row)) continue;
    Added added{&row, row.millicpus, row.memory.bytes, stated_field(object, row.when)};
    if (row.when == AddedWhen::grows) {
      const Field requests = ray_cluster(object).at("autoscalerOptions.resources.requests");
      if (const auto cpu = read_quantity(requests.get("cpu").text())) added.millicpus = *cpu;
      if (const auto memory = read_quantity(requests.get("memory").text())) added.memory = *memory / 1000;
    }
    out.push_back(std::move(added));
  }
  return out;
}

}  // namespace muster::targets::kubernetes

#include "targets/kubernetes/read/givers.h"

#include <algorithm>
#include <optional>

#include "compiler/base/text.h"

namespace muster::targets::kubernetes {
namespace {

// Without a Master no pod has a rank or an address; an elastic policy gives them a place to meet instead.
Giver giver_of_pytorchjob(const Object& object) {
  const bool master = std::any_of(object.pods.begin(), object.pods.end(),
                                  [](const PodTemplate& pods) { return pods.role == "Master"; });
  if (master) return Giver::pytorchjob;
  return object.root.at("spec.elasticPolicy") ? Giver::elastic : Giver::pytorch_workers;
}

// The policy of a TrainJob's runtime: of Trainer's own by its name, of one in the file by what it says.
std::optional<Giver> giver_of_runtime(const Object& object, const Manifest& manifest) {
  const std::string_view name = object.root.at("spec.runtimeRef.name").text();
  for (const Object& other : manifest.objects)
    if (other.name == name && is_one_of(other.kind, {"TrainingRuntime", "ClusterTrainingRuntime"})) {
      if (other.root.at("spec.mlPolicy.jax").node != nullptr) return Giver::jax;
      if (other.root.at("spec.mlPolicy.torch").node != nullptr) return Giver::trainjob;
      return std::nullopt;
    }
  if (name == "jax-distributed") return Giver::jax;
  return name == "torch-distributed" ? std::optional(Giver::trainjob) : std::nullopt;
}

// Of Volcano's rows those that one of its plugins sets: `env` the index, `svc` the hosts of each task.
bool is_of_plugin(const Object& object, const OperatorName& row) {
  const char* plugin = row.meaning == Meaning::node_rank ? "spec.plugins.env" : "spec.plugins.svc";
  return object.root.at(plugin).node != nullptr;
}

}  // namespace

std::vector<const OperatorName*> variables_set(const Object& object, const Manifest& manifest) {
  Givers givers = givers_of(object);
  std::erase(givers, Giver::kubelet);
  if (object.is("batch", "Job") && object.root.at("spec.completionMode").text() != "Indexed") return {};
  if (object.is("trainer.kubeflow.org", "TrainJob")) {
    const auto policy = giver_of_runtime(object, manifest);
    if (!policy) return {};
    givers = {Giver::indexed, *policy};
  }
  std::vector<const OperatorName*> out = operator_names(givers);
  std::erase_if(out,
                [&](const OperatorName* row) { return row->giver == Giver::volcano && !is_of_plugin(object, *row); });
  return out;
}

Givers givers_of(const Object& object) {
  Givers out{Giver::kubelet};
  const bool sweep =
      object.root.at("spec.parallelism").whole().value_or(1) < object.root.at("spec.completions").whole().value_or(1);
  if (object.is("batch", "Job")) out.push_back(sweep ? Giver::indexed_points : Giver::indexed);
  else if (object.is("jobset.x-k8s.io", "JobSet")) out.push_back(Giver::indexed);
  else if (object.is("trainer.kubeflow.org", "TrainJob"))
    out.insert(out.end(),
               {Giver::indexed,
                object.root.at("spec.runtimeRef.name").text() == "jax-distributed" ? Giver::jax : Giver::trainjob});
  else if (object.is("kubeflow.org", "PyTorchJob")) out.push_back(giver_of_pytorchjob(object));
  else if (object.is("leaderworkerset.x-k8s.io", "LeaderWorkerSet")) out.push_back(Giver::lws);
  else if (object.is("batch.volcano.sh", "Job")) {
    out.push_back(Giver::volcano);
    if (object.root.at("spec.plugins.pytorch").node != nullptr) out.push_back(Giver::volcano_pytorch);
  } else if (object.is("kubeflow.org", "MPIJob")) out.push_back(Giver::mpijob);
  else if (group_of(object.api_version) == "ray.io") out.push_back(Giver::ray);
  return out;
}

}  // namespace muster::targets::kubernetes

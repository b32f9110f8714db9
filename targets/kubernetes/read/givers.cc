#include "targets/kubernetes/read/givers.h"

#include <algorithm>

namespace muster::targets::kubernetes {
namespace {

bool is_elastic_alone(const Object& object) {
  if (!object.root.at("spec.elasticPolicy")) return false;
  return std::none_of(object.pods.begin(), object.pods.end(), [](const PodTemplate& p) { return p.role == "Master"; });
}

}  // namespace

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
  else if (object.is("kubeflow.org", "PyTorchJob"))
    out.push_back(is_elastic_alone(object) ? Giver::elastic : Giver::pytorchjob);
  else if (object.is("leaderworkerset.x-k8s.io", "LeaderWorkerSet")) out.push_back(Giver::lws);
  else if (object.is("batch.volcano.sh", "Job")) {
    out.push_back(Giver::volcano);
    if (object.root.at("spec.plugins.pytorch").node != nullptr) out.push_back(Giver::volcano_pytorch);
  } else if (object.is("kubeflow.org", "MPIJob")) out.push_back(Giver::mpijob);
  else if (group_of(object.api_version) == "ray.io") out.push_back(Giver::ray);
  return out;
}

}  // namespace muster::targets::kubernetes

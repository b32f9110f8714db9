// What objects of one file say of each other: autoscalers of workloads, services of pods.
#include <algorithm>

#include "targets/kubernetes/read/manifest.h"

namespace muster::targets::kubernetes {
namespace {

bool selects(const Field& selector, const Field& labels) {
  const std::vector<Field> wanted = selector.members();
  return !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [&](const Field& w) {
    const Field label = labels.get(w.key);
    return label && label.text() == w.text();
  });
}

}  // namespace

std::vector<Autoscaler> autoscalers(const Manifest& manifest) {
  std::vector<Autoscaler> out;
  for (const Object& o : manifest.objects) {
    const Field spec = o.root.get("spec"), target = spec.get("scaleTargetRef");
    if (o.is("autoscaling", "HorizontalPodAutoscaler"))
      out.push_back({&o, false, target, spec.get("minReplicas"), spec.get("maxReplicas")});
    if (o.is("keda.sh", "ScaledObject"))
      out.push_back({&o, true, target, spec.get("minReplicaCount"), spec.get("maxReplicaCount")});
  }
  return out;
}

const Object* target_of(const Autoscaler& autoscaler, const Manifest& manifest) {
  const Field kind = autoscaler.target.get("kind");
  const std::string_view wanted = kind ? kind.text() : autoscaler.keda ? "Deployment" : "";
  for (const Object& o : manifest.objects)
    if (o.kind == wanted && o.name == autoscaler.target.get("name").text() &&
        o.name_space == autoscaler.object->name_space)
      return &o;
  return nullptr;
}

std::vector<Backend> backends_of(const Object& service, const Manifest& manifest) {
  std::vector<Backend> out;
  const Field selector = service.root.at("spec.selector");
  for (const Object& o : manifest.objects) {
    if (o.name_space != service.name_space) continue;
    for (const PodTemplate& pods : o.pods)
      if (selects(selector, pods.metadata.get("labels"))) out.push_back({&o, &pods});
  }
  return out;
}

}  // namespace muster::targets::kubernetes

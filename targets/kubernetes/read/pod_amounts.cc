#include "targets/kubernetes/read/pod_amounts.h"

#include <algorithm>

#include "targets/kubernetes/read/cluster.h"

namespace muster::targets::kubernetes {
namespace {

using Number = std::optional<std::int64_t>;

// Whether the number of pods is chosen elsewhere.
bool is_scaled(const Object& object, const Scaled& scaled) {
  if (object.known->counted_elsewhere) return true;
  const Field elastic = object.root.at("spec.elasticPolicy");
  if (elastic.get("maxReplicas") && elastic.get("maxReplicas").text() != elastic.get("minReplicas").text()) return true;
  return scaled.contains(&object);
}

Number amount_of(const Container& container, std::string_view resource, Unrequested unrequested) {
  if (resource.empty()) return gpus_held(container);
  const Field field = container.request(resource) ? container.request(resource) : container.limit(resource);
  if (!field && unrequested == Unrequested::is_nothing) return 0;
  return read_quantity(field.text());
}

}  // namespace

Scaled scaled_objects(const Manifest& manifest) {
  Scaled out;
  for (const Autoscaler& a : autoscalers(manifest)) out.insert(target_of(a, manifest));
  return out;
}

std::vector<Number> pods_up(const Object& object, const Scaled& scaled) {
  if (object.known != nullptr && is_scaled(object, scaled)) return std::vector<Number>(object.pods.size());
  return pods_up(object);
}

Number gpus_held(const Container& container) {
  const Field field = container.gpu_field();
  if (field) return field.whole();
  return container.has_accelerator() ? std::nullopt : Number(0);
}

Number held(const PodTemplate& pods, std::string_view resource, Unrequested unrequested) {
  if (resource.empty() && pods.spec.get("resourceClaims")) return std::nullopt;
  std::int64_t together = 0, before = 0;
  for (const Container& c : pods.containers) {
    const Number amount = amount_of(c, resource, unrequested);
    if (!amount || *amount < 0) return std::nullopt;
    if (c.init) before = std::max(before, *amount);
    else if (__builtin_add_overflow(together, *amount, &together)) return std::nullopt;
  }
  return std::max(before, together);
}

}  // namespace muster::targets::kubernetes

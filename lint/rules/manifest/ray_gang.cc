#include "lint/rules/manifest/ray_gang.h"

#include "lint/heuristics.h"

namespace muster::lint {

std::optional<model::Version> version_of(const model::Plane& plane, const targets::kubernetes::RayGangFault& fault) {
  const auto version = operator_version(plane, fault.component);
  return version || fault.alias.empty() ? version : operator_version(plane, fault.alias);
}

bool has_fault(const model::Plane& plane, const targets::kubernetes::RayGangFault& fault) {
  const auto version = version_of(plane, fault);
  return version && *version < fault.sound;
}

}  // namespace muster::lint

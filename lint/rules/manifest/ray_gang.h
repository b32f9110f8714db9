// SCH005: schedulers that do not start a Ray cluster as a whole in some version of theirs, or of KubeRay.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "compiler/model/site.h"

namespace muster::lint {

struct RayGangFault {
  model::GangProvider provider;
  std::string_view component;  // whose version counts: an operator of the plane
  model::Version sound;        // the first without the fault
  std::size_t groups;          // of workers, from which on it shows
  std::string_view what;
};
std::span<const RayGangFault> ray_gang_faults();

// The version that counts, as the plane declares it; nullopt where it does not.
std::optional<model::Version> version_of(const model::Plane& plane, const RayGangFault& fault);
// Whether it is one with the fault; false where it is not declared.
bool has_fault(const model::Plane& plane, const RayGangFault& fault);

}  // namespace muster::lint

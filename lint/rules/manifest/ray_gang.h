// SCH005: whether a plane has a release of a gang scheduler, or of KubeRay, that does not start a Ray cluster as a
// whole.
#pragma once

#include <optional>

#include "targets/kubernetes/gang_providers.h"

namespace muster::lint {

// The version that counts, as the plane declares it; nullopt where it does not.
std::optional<model::Version> version_of(const model::Plane& plane, const targets::kubernetes::RayGangFault& fault);
// Whether it is one with the fault; false where it is not declared.
bool has_fault(const model::Plane& plane, const targets::kubernetes::RayGangFault& fault);

}  // namespace muster::lint

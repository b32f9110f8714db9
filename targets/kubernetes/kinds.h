// The kinds of objects on planes of pods, one function each.
#pragma once

#include "targets/target.h"

namespace muster::targets::pods {

// Pod, Job, Indexed Job; Deployment with what belongs to a service.
Lowered lower_kubernetes(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

}  // namespace muster::targets::pods

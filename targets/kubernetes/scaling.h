// Replicas that follow the load.
#pragma once

#include "targets/kubernetes/draft.h"

namespace muster::targets::kubernetes {

// The autoscaler of the Deployment `draft.name`: KEDA's ScaledObject or a HorizontalPodAutoscaler, as the plane says.
// Accounts for `scale` and `replicas`.
void add_scaling(Draft& draft, const plan::RolePlan& shape);

}  // namespace muster::targets::kubernetes

// Services of target `kubernetes`.
#pragma once

#include "targets/kubernetes/draft.h"

namespace muster::targets::pods {

// Deployment, Service, Ingress, PodDisruptionBudget and autoscaler of a workload of kind serve on single nodes.
void build_service(Draft& draft);

}  // namespace muster::targets::pods

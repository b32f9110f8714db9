// Services of target `kubernetes`.
#pragma once

#include "targets/kubernetes/draft.h"

namespace muster::targets::kubernetes {

// Deployment, Service, Ingress, PodDisruptionBudget and autoscaler of a workload of kind serve on single nodes.
void build_service(Draft& draft);

// What the pods of every service have: no environment of other Services, a pause before the signal while the endpoint
// goes, and a note of their ConfigMap, so that they are made anew when it changes.
void put_service_fields(const Draft& draft, Node& pod);
// A Service of that name over the ports of all programs in the role's pods; none where they have no port.
void add_service(Draft& draft, const plan::RolePlan& shape, const std::string& name, data::Node selector);
// Accounts for `serve`.
void report_serve(Draft& draft);

}  // namespace muster::targets::kubernetes

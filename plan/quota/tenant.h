// Which team a workload counts for.
#pragma once

#include "compiler/model/site.h"
#include "compiler/model/workload.h"

namespace muster::plan {

// The tenant that the workload's account names: as one of its accounts, its namespace or its own name.
// Without an account that of the plane's namespace, else the only one that may use the queue. nullptr:
// the site does not say.
const model::Tenant* tenant_of(const model::Workload& workload, const model::Site& site, const model::Plane& plane,
                               const model::Queue* queue);

// Whether the tenant may use the queue at all.
bool may_use(const model::Tenant& tenant, const model::Queue& queue);

}  // namespace muster::plan

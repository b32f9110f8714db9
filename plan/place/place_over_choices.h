// Roles of one workload of which some may go to several pools: each to one of its choices, all together.
#pragma once

#include <vector>

#include "plan/fleet/fleet_state.h"
#include "plan/plan.h"

namespace muster::plan {

// Ways to send the roles to their choices (plan/pools/contents.h) are tried in the order in which these are liked;
// roles that share a pool are placed there together (scheduler/together.h), pods that may share nodes or GPUs are
// packed (scheduler/packing.h). The first way that serves all at a moment is its witness; where each way has pools that
// cannot hold their roles, that is a proof, and the certificate is that of the way that misses least. Where ways are
// too many to ask, or one is neither shown nor refuted, the answer is unknown. Sets the roles' pools.
Fit place_over_choices(FleetState& state, const model::Plane& plane, const model::Queue* queue,
                       const model::Tenant* tenant, const model::Workload& workload, std::vector<RolePlan>& roles);

}  // namespace muster::plan

// Roles of one workload of which some may go to several pools: each to one, all together.
#pragma once

#include <optional>
#include <vector>

#include "plan/place.h"

namespace muster::plan {

// Ways to send the roles to their pools are tried in the order in which these are liked; on each pool its roles are
// placed together (scheduler/together.h). The first way that serves all at a moment is its witness; where each way has
// a pool that cannot hold its roles, that is a proof, and the certificate is that of the first way. Where ways are too
// many to ask, or one is neither shown nor refuted, the answer is unknown. Sets the roles' pools.
// nullopt: a role is of a kind that is placed in another way (packed, nested, a part of a GPU).
std::optional<Fit> place_over_pools(FleetState& state, const model::Plane& plane, const model::Queue* queue,
                                    const model::Tenant* tenant, const model::Workload& workload,
                                    std::vector<RolePlan>& roles);

}  // namespace muster::plan

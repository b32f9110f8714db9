// Spines above what several gangs take together.
#pragma once

#include "plan/fleet_state.h"
#include "plan/members.h"
#include "plan/plan.h"

namespace muster::plan {

struct SpineCount {
  std::int64_t spines = 0;  // 0: the pool declares none
  std::int64_t bound = 0;   // no placement of all, on whichever leaves, is below fewer
};

// Of a placement of the crowd. The bound is that of leaves (scheduler::fewest_leaves_bound) with spines for
// leaves.
SpineCount count_spines(const scheduler::Together& found, const JointRequest& request, bool apart);

// Above nodes that were placed in some other way; without a bound but 1.
SpineCount count_spines(FleetState& fleet, std::span<const PlacedNode> placements, const model::Pool& pool,
                        Moment moment);

}  // namespace muster::plan

// Tasks of a job that its scheduler divides over the nodes as it likes: a node has as many as it has room for.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/fleet/fleet_state.h"
#include "plan/place/place_on_pool.h"
#include "plan/plan.h"

namespace muster::plan {

// A role with `divided` on its pool. Exact: of nodes with room for some of its tasks those with the most are taken, the
// fewest that do, and not more than its queue lets it have.
Level ask_divided(FleetState& fleet, const RolePlan& role, Moment moment, std::optional<Witness>& witness);

}  // namespace muster::plan

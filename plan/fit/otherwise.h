// Where a scheduler decides otherwise than the fit says. Each reason is known from the site and the workload before
// anything is submitted; docs/reference/fit.md lists them.
#pragma once

#include <vector>

#include "plan/fit/first_flavor.h"
#include "plan/fleet/fleet_state.h"
#include "plan/plan.h"

namespace muster::plan {

// Sets `fit.otherwise` of a workload that is placed to the reason that holds for it: a flavor that Kueue chooses and
// where there is no room, a queue that admits a gang for which the nodes have no room, or pods placed one by one so
// that not all find the room there is.
void note_otherwise(FleetState& fleet, const FlavorQuestion& question, const std::vector<RolePlan>& placed, Fit& fit);

}  // namespace muster::plan

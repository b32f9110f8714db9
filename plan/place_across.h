// A gang on the nodes of several pools of its queue, where the emitted file leaves the choice to the scheduler.
#pragma once

#include <vector>

#include "plan/fleet_state.h"
#include "plan/plan.h"

namespace muster::plan {

// The pools of the role that its file does not tell apart from its chosen one, that one among them: the same GPUs,
// architecture, network, zone and taints. How many nodes, CPUs or GPUs they have may differ. An existing manifest tells
// pools apart by its selectors and tolerations alone.
std::vector<const model::Pool*> alike_pools(const RolePlan& role);

// Whether some of the role's pools are alike, so that a gang may have nodes of several.
bool may_span_pools(const RolePlan& role);

// The role as it is asked of a node of any of these pools: of amounts that the workload leaves open the least.
RolePlan on_all(const RolePlan& role, const std::vector<const model::Pool*>& pools);

// Asks the alike pools together for the levels that the chosen pool alone does not meet. Where they do, `fit` has the
// placement and the role amounts that all of these nodes have; where they do not, the certificate counts all of them.
void place_across(FleetState& fleet, RolePlan& role, Fit& fit);

// Several roles on the nodes of pools that are alike for all of them, each node of one role's unless pods share them:
// the answers at both moments, the placement and the certificate as above. False: not all roles have these pools, or
// they are not searched for together; then nothing is changed.
bool place_across(FleetState& fleet, const model::Plane& plane, std::vector<RolePlan>& roles, Fit& fit);

}  // namespace muster::plan

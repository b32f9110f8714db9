// Whether and where all roles of a workload fit together.
#pragma once

#include <vector>

#include "plan/fleet/fleet_state.h"
#include "plan/place/placed_nodes.h"
#include "plan/plan.h"

namespace muster::plan {

// Places all roles and sets their pools. One role, or roles of one shape, are one gang and the answer is
// exact. Roles of unlike shapes that like one pool best are placed there together (scheduler/together.h): a
// witness, or where they may go nowhere else the line that they are over. On a plane of pods they may share
// nodes; parts of a Slurm job have nodes of their own. Parts of GPUs and replicas that share nodes are packed
// (place_packed.h); roles that may go to several pools are sent there in every way (place_over_choices.h).
// With segments in a domain they are placed one after the other: what is found is a witness; where one fits alone and
// not beside the others the answer is unknown. Devices are numbered beside those that are taken.
Fit place_roles(FleetState& state, const model::Plane& plane, const model::Queue* queue, const model::Tenant* tenant,
                const model::Workload& workload, std::vector<RolePlan>& roles, const TakenDevices& taken = {});

// Whether two roles ask the same of a node, so that one count of nodes serves both.
bool alike(const RolePlan& a, const RolePlan& b);

}  // namespace muster::plan

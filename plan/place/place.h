// Whether and where a role's gang fits, with exact answers (scheduler/gang.h).
#pragma once

#include "compiler/model/fleet.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/fleet/fleet_state.h"
#include "plan/plan.h"

namespace muster::plan {

// Places one role, its whole gang in one of its allowed pools, and sets the role's pool.
//
// Levels: `capacity` is the declared fleet, empty; `policy` the queue's limits, which count all roles of the workload,
// and of a workload with one role the quota that the tenant (nullptr: none) has of its pools; `now` takes off what is
// in use.
// Drained, spare and excluded nodes are out at every level. Pools are tried by prefer weight, fewest leaf switches, in
// the order of the fleet (names decide nothing); the first that fits at capacity and within the quota is chosen. If
// none does, one where something is not declared is (unknown), else the first, and its certificate is kept. The
// placement shown is the one of `now`, if there is one, else of capacity.
//
// What is in use on a part of a node's GPUs takes the same share of its CPUs and memory (what is left
// is rounded down) and is taken to hold the highest device numbers. Where a pool does not declare
// CPUs, memory or disk that the role asks for, a fit is unknown; a misfit stays one.
//
// Without a fleet capacity and now are unknown and no pool is chosen; the queue's limits
// are still checked. The verdict is the worst of the levels.
Fit place(FleetState& fleet, const model::Plane& plane, const model::Queue* queue, const model::Tenant* tenant,
          const model::Workload& workload, RolePlan& role);

}  // namespace muster::plan

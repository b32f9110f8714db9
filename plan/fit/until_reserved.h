// How long a job would run where only reservations keep it from starting now.
#pragma once

#include <span>
#include <vector>

#include "plan/fleet/fleet_state.h"
#include "plan/plan.h"

namespace muster::plan {

// A workload that was placed, and with what.
struct PlacedJob {
  const model::Plane& plane;
  const model::Queue* queue;
  const model::Tenant* tenant;
  const model::Fleet& fleet;
  const model::Workload& workload;
  std::span<const model::NodesAsRead> own;  // of its files; empty: none
  const std::vector<RolePlan>& roles;       // before they were placed
};

// Adds to level now of `fit` until when the job would fit. Where the fleet does not say what time it is, whether it
// fits now is unknown.
void explain_reservations(FleetState& state, const PlacedJob& job, Fit& fit);

}  // namespace muster::plan

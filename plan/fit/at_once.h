// How many replicas, points or nodes of a workload run at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/model/site.h"
#include "plan/demand.h"
#include "plan/fleet/fleet_state.h"
#include "plan/plan.h"

namespace muster::plan {

// The roles with the nodes and replicas that must run at once: what is placed.
std::vector<RolePlan> at_once(const model::Workload& workload, const std::vector<RolePlan>& roles,
                              const model::Plane& plane);
RolePlan at_once(const model::Workload& workload, const RolePlan& role, const model::Plane& plane);

// What is asked: the plan's plane, queue, tenant with what it may use, workload, and the roles as they were placed on
// the fleet.
struct AtOnceRequest {
  const model::Plane& plane;
  const model::Queue* queue;
  const model::Tenant* tenant;
  const model::Workload& workload;
  const std::vector<RolePlan>& placed;
  std::int64_t jobs_of_others = 0;  // of the queue
};

// What of a fit runs at once. By halves: what fits fits with one less. Of several roles it is known only whether all
// that must run at once fits.
AtOnce count_at_once(FleetState& fleet, const AtOnceRequest& request, const Fit& fit);

// Adds to the certificate of a level that does not fit how many of those that must run at once have room there.
void name_room(Level& level, std::optional<std::int64_t> room, const AtOnce& all);
// The same at each level.
void name_room(Fit& fit);

// "16 of 1,000 replicas".
std::string part_text(std::int64_t count, std::int64_t of, Unit unit);

}  // namespace muster::plan

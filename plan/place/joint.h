// Several roles on the nodes of one pool, each with those that are open to it, as one question to the scheduler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/fleet/fleet_state.h"
#include "plan/place/name_list.h"
#include "plan/plan.h"
#include "scheduler/together.h"

namespace muster::plan {

struct JointRequest {
  const scheduler::Inventory* stock = nullptr;  // of the fleet state
  std::vector<scheduler::Member> members;       // in the order of the roles

  std::span<const scheduler::Node> nodes() const { return stock->nodes(); }
};

// All have `pool` for their pool, or are asked as if they had.
JointRequest joint_request(FleetState& fleet, std::span<const RolePlan* const> roles, const model::Pool& pool,
                           Moment moment);

// The same for proofs that count nodes, where the same nodes are open to all: the others are unusable instead of
// barred, and no node is looked at. nullopt: different nodes are open to them.
std::optional<JointRequest> joint_request_in_one_view(FleetState& fleet, std::span<const RolePlan* const> roles,
                                                      const model::Pool& pool, Moment moment);

// The line that its members are over, in words.
Certificate certificate_of(const scheduler::Line& line, const NameList& who, const model::Pool& pool);

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

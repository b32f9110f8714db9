// Roles whose pods may share nodes and GPUs: parts of GPUs, and replicas of pods (scheduler/packing.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/fleet/fleet_state.h"
#include "plan/fleet/pool_state.h"
#include "plan/place/counted_roles.h"
#include "plan/plan.h"
#include "scheduler/together.h"

namespace muster::plan {

// Whether a role is placed in this way: it asks for a part of a GPU, or its replicas may share nodes, and no domain
// keeps the nodes of a replica together. Of one that has nodes for itself: no.
bool is_packed(const RolePlan& role);

// Whether it can be among roles that are.
bool can_be_packed(const RolePlan& role);

struct PackedRoles {
  Level level;
  std::vector<PlacedNode> pods;  // role by role, replica by replica; devices as number_devices() takes them
  std::int64_t leaves = 0;
  std::int64_t lower_bound = 0;
  std::int64_t spines = 0, spine_bound = 0;  // 0: none are declared
};

// All have `pool` for their pool, or are asked as if they had; `names` are theirs in words, "" where one alone needs no
// name. A fit is a packing; a misfit is proven; else the level is unknown.
PackedRoles pack_roles(FleetState& fleet, std::span<const RolePlan* const> roles, std::span<const std::string> names,
                       const model::Pool& pool, Moment moment);

// A role whose pods may share nodes, and of which each replica must lie in one domain of its pool: exact, by the room
// of each domain. nullopt: it is none of these.
std::optional<PackedRoles> pack_near(FleetState& fleet, const RolePlan& role, Moment moment);

// As `pack_roles`, on nodes of several pools as those of one, `pool`, which is the pool of all roles. No parts of
// GPUs.
PackedRoles pack_on(const PoolState& state, std::span<const RolePlan* const> roles, std::span<const std::string> names,
                    const model::Pool& pool);

// Of a role that asks for a part of a GPU and shares no node with another: nodes of its pool without room for it are
// barred, and of the others it takes no whole GPU.
void give_parts(FleetState& fleet, const RolePlan& role, Moment moment, scheduler::Member& member);

// The proof alone that there is no packing.
std::optional<Certificate> too_heavy(FleetState& fleet, const CountedRoles& roles, const model::Pool& pool,
                                     Moment moment);

}  // namespace muster::plan

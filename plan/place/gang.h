// A role as the scheduler sees it: the gang, and how many of its pods may meet.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plan/plan.h"
#include "scheduler/gang.h"

namespace muster::plan {

// What the role asks of its pool's nodes; of one that is nested the segments alone.
scheduler::Gang gang_of(const RolePlan& role);

// How many of its pods may be on one node, as far as nothing but room limits them; 1: each has its own.
std::int64_t most_on_a_node(const RolePlan& role);

// Takes needs that the fleet cannot answer out of the gang and says which; "" if there are none.
std::string leave_out_unknown(const RolePlan& role, scheduler::Gang& gang);

// By whose count of a node roles are asked for together: that of their plane. Of planes of several families it is the
// one that has most of a node, so that a proof that there is no room is one for all.
model::PlaneFamily family_of(std::span<const RolePlan* const> roles);

}  // namespace muster::plan

// What a role asks of a node: by its own words, and once its pool is known.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/model/plane.h"
#include "compiler/model/workload.h"
#include "plan/plan.h"

namespace muster::plan {

// What a role asks of a node by its own words, and each of those that run with it: `cpus` and `memory` need a pool.
RolePlan shape_of(const model::Role& role, const model::Workload& workload);

// Whether its nodes are its own, by its words or its queue's; and whether nothing else has room on them.
bool has_whole_nodes(const RolePlan& role);
bool is_alone(const RolePlan& role);

// What the plane gives unasked, to each that runs on a node.
void set_plane(RolePlan& role, const model::Plane& plane);

// The amounts of a node as the sums of those of the roles on it; nothing for a role alone.
void sum_up(RolePlan& role);

// On the pool that the same role was placed on, with the amounts that it was placed with.
void take_amounts(const RolePlan& placed, RolePlan& role);

// The same pools and amounts for the roles as for those that were placed, which may have fewer or more nodes.
void take_pools(const std::vector<RolePlan>& placed, std::vector<RolePlan>& roles);

// Sets the role's pool and what it then asks of a node: ranges take the upper end; without a word
// the GPUs' share of the node (rounded down, memory to MiB; of a part of a GPU that part's, a slice counted in
// sevenths), but a CPU for each process, for an exclusive role all of it.
void choose_pool(RolePlan& role, const model::Pool* pool);

// Leaves it only these pools, which are of one choice.
void restrict_to(RolePlan& role, const Pools& pools);

// The role as it is asked of a node of any of these pools: of amounts that the workload leaves open the least.
RolePlan on_all(const RolePlan& role, const Pools& pools);

// The role as a node has it that was given so many of the tasks that its scheduler divides.
RolePlan with_tasks(RolePlan role, std::int64_t tasks, const model::Pool& pool);

}  // namespace muster::plan

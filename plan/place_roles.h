// Whether and where all roles of a workload fit together.
#pragma once

#include <vector>

#include "plan/place.h"

namespace muster::plan {

// Places all roles and sets their pools. One role, or roles of one shape, are one gang and the answer is
// exact. Roles of unlike shapes are placed one after the other, each on nodes of its own: what is found is
// a witness; where one fits alone and not beside the others the answer is unknown, for another order or
// shared nodes might do.
Fit place_roles(const model::Fleet* fleet, const model::Plane& plane, const model::Queue* queue,
                const model::Tenant* tenant, const model::Workload& workload, std::vector<RolePlan>& roles);

// Whether two roles ask the same of a node, so that one count of nodes serves both.
bool alike(const RolePlan& a, const RolePlan& b);

}  // namespace muster::plan

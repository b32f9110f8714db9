// --pin: the placement that was shown, as a demand that the target writes.
#pragma once

#include <optional>
#include <string>

#include "plan/plan.h"

namespace muster::plan {

// Gives each role the names of its nodes (`RolePlan::pinned`), all replicas together. What it returns says why that
// cannot be done: no placement is proven, a pool has no names, or the job is not the one that was placed (tasks of a
// sweep, replicas that start by themselves, a size that changes while it runs).
std::optional<std::string> pin(Plan& plan);

}  // namespace muster::plan

// Elastic workloads after every low end is placed: each grows into what the others leave.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "plan/plan.h"
#include "plan/run/remaining_fleet.h"

namespace muster::plan {

// Sets `fit.growth` of the plans that say a range and hold their low end, in the order of the plans: each to the
// largest size that fits its pool, its queue and its quota beside the low ends of those after it and what those before
// it grew to. Whatever is smaller fits too, since a part of a placement is one, so that halving finds it. `meet` says
// of two, by their places, whether they run at one time. Placements stay those of the low ends.
void grow_all(RemainingFleet& remaining, const std::vector<Plan*>& plans,
              const std::function<bool(std::size_t, std::size_t)>& meet);

}  // namespace muster::plan

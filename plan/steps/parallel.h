// What the declared parallelism says of the machines that were chosen.
#pragma once

#include "compiler/base/diagnostic.h"
#include "plan/plan.h"

namespace muster::plan {

// GPUs of a pool that one NVLink joins: of its largest multi-node domain, else of a node.
std::int64_t nvlink_gpus(const model::Pool& pool);

// W0608: a role whose tensor-parallel groups are larger than that. (PAR002: within the domain a group talks over
// NVLink, beyond it over the network.)
void check_parallelism(const Plan& plan, Diagnostics& diagnostics);

}  // namespace muster::plan

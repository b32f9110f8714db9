// Which pools of the fleet a job could get, and whether its file has to name its GPUs.
#pragma once

#include <functional>
#include <vector>

#include "targets/batch/job.h"

namespace muster::targets::batch {

// The pools that the job's queue could give.
std::vector<const model::Pool*> reachable_pools(const Job& job);
// Whether a condition of the role has such a term.
bool requires_any(const model::Role& role, const std::function<bool(const model::Term&)>& test);
// Whether the model of the GPUs that a role gets has to be in its file.
bool names_gpu(const Job& job, const model::Role& asking);

}  // namespace muster::targets::batch

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

// Whether every pool that the queue could give has these GPUs, or none.
bool has_one_model(const Job& job, const std::string& model);

// What becomes of `require`, `prefer` and the memory of GPUs. `stated`: what the file says of the nodes; "": nothing.
void report_choice(Job& job, const std::string& stated);

// Whether the whole job is what has to be in one domain; and a domain of which nodes can be.
bool is_whole(const Job& job);
bool is_domain(model::Within within);

}  // namespace muster::targets::batch

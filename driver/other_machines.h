// Words of `target NAME { … }` that ask for other machines than the keys of the workload do.
#pragma once

#include <string>

#include "compiler/base/source.h"
#include "plan/steps/make_plan.h"

namespace muster::driver {

// "the words of `target slurm` make it 4 nodes and 32 GPUs, and it is decided and placed for 1 node and 8 GPUs": facts,
// decision and placement rest on the keys alone. "" where the words ask for the same, where there are none that the
// decided target reads, and where no file can be written with them.
std::string other_machines(const model::Workload& workload, const plan::PlanResult& result, const Sources& sources);

}  // namespace muster::driver

// Workloads of muster files: the rules that can occur in a spec.
#pragma once

#include "lint/rules/spec/scene.h"

namespace muster::lint {

// What the rules find in a workload, appended by place. Nothing of what the front end, the decision or the placement
// reports by itself: those are diagnostics, which are listed beside. Returned are the paths below which it is not known
// whether there is more: "target.slurm" of words that no file could be written with, "" of a workload without a plan.
std::vector<std::string> check_workload(const SpecScene& scene);

}  // namespace muster::lint

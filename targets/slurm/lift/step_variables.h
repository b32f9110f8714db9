// Variables that srun reads as options.
#pragma once

#include <string>
#include <vector>

#include "targets/slurm/read/body.h"

namespace muster::targets::slurm::lifting {

struct StepVariable {
  std::string name;     // SLURM_CPU_BIND
  LaunchOption option;  // --cpu-bind with its value; the span is that of the value
};

// What the script exports above a step, or sets in front of it, that the step takes for an option it does not have
// (srun(1), INPUT ENVIRONMENT VARIABLES): of several values the last. What a branch sets, or may
// take back, is not literal.
std::vector<StepVariable> variables_of_step(const Body& body, const Launch& step);

}  // namespace muster::targets::slurm::lifting

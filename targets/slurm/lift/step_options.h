// What an option of the one srun of a script becomes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "targets/slurm/lift/program.h"

namespace muster::targets::slurm::lifting {

enum class StepFate : std::uint8_t {
  dropped,      // the job says it already, or it has no effect beside one step
  kept,         // as an option of srun
  environment,  // --export=ALL,NAME=value
  refused,      // a step of another shape than the job, or what no key can say
};

struct StepOption {
  StepFate fate = StepFate::refused;
  std::string note;                                      // why
  std::string text;                                      // of `kept`: "--cpu-bind=cores"
  std::vector<std::pair<std::string, std::string>> env;  // of `environment`
  std::vector<std::string> differs{};                    // of `dropped`: what is another way then
};

StepOption step_option(const LaunchOption& option, const JobShape& shape);

}  // namespace muster::targets::slurm::lifting

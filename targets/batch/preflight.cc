// Checks before the program that every batch system can make.
#include "targets/batch/sections.h"
#include "targets/shell.h"

namespace muster::targets::batch {

void add_gpu_check(Job& job, const std::string& starter) {
  const bool amd = job.shape.pool != nullptr && job.shape.pool->gpu && job.shape.pool->gpu->vendor == "amd";
  const std::string list = amd ? "rocm-smi --showid --csv | grep -c ^card" : "nvidia-smi -L | grep -c ^GPU";
  const std::string text = "n=$(" + list + ") || :; [ \"$n\" -ge " + std::to_string(job.shape.gpus) +
                           " ] || { echo \"" + std::string(job.dialect.variables.node_name) +
                           " shows $n GPUs\" >&2; exit 1; }";
  job.line("# shellcheck disable=SC2016  # expanded on each node");
  job.line(starter + "sh -c " + sh_word(text));
  job.exact(Field::preflight_gpu_health, "a step on every node");
}

}  // namespace muster::targets::batch

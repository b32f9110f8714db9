// Options of the user's own for what starts the program: `launch { args }`, and `launch` of the target's blocks.
#include <algorithm>

#include "compiler/model/runner.h"
#include "targets/batch/sections.h"
#include "targets/contract/launch.h"

namespace muster::targets::batch {

using model::Runner;

bool is_own_block(const Job& job, const model::TargetOptions& block) {
  return block.target == job.dialect.target || (block.target == job.dialect.ray_target && job.runner() == Runner::ray);
}

void refuse_srun(Job& job, const model::TargetOptions& block) {
  if (!block.srun.empty())
    job.refuse_at(block.srun.front().span, {Field::target_srun, block.target}, job.system() + " has no srun",
                  "write options of the launcher as `launch = […]`");
}

bool has_launcher(const Job& job, const model::Role& role) {
  const Runner runner = role.launch.runner.value;
  const bool script = role.program && std::holds_alternative<model::Script>(role.program->value);
  if (runner == Runner::mpi) return job.batch.mpi == model::Mpi::mpirun;
  return runner == Runner::ray || (row_of(runner).opens_file && !script);
}

std::vector<std::string> launcher_options(const Job& job) {
  std::vector<std::string> out = texts_of(job.role.launch.args);
  for (const model::TargetOptions& block : job.workload.targets)
    if (is_own_block(job, block))
      for (const auto& word : block.launch) out.push_back(word.value);
  return out;
}

std::string launcher_option_words(Job& job) {
  std::string out = argument_words(job, texts_of(job.role.launch.args), Field::launch_args);
  for (const model::TargetOptions& block : job.workload.targets) {
    if (!is_own_block(job, block) || block.launch.empty()) continue;
    const std::string words = argument_words(job, texts_of(block.launch), {Field::target_launch, block.target});
    out += (out.empty() ? "" : " ") + words;
  }
  return out;
}

std::string program_options(const Job& job) {
  return job.dialect.program_options == nullptr ? std::string() : job.dialect.program_options(job);
}

void report_launch_options(Job& job) {
  const auto launchers =
      contract::launchers_of(job.plan, [&](const model::Role& role) { return has_launcher(job, role); });
  const std::string starter(job.dialect.starter);
  for (const model::TargetOptions& block : job.workload.targets) {
    if (!is_own_block(job, block)) contract::report_elsewhere(job, block);
    else
      contract::report_launch(
          job, block, launchers,
          "options of " + starter + " are `" + starter + " = […]`, those of a script's launcher are in the script");
  }
}

}  // namespace muster::targets::batch

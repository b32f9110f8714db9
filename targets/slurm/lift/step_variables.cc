#include "targets/slurm/lift/step_variables.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::targets::slurm::lifting {
namespace {

constexpr std::array options = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"SLURM_MPI_TYPE", "mpi"},
    {"SLURM_CPU_BIND", "cpu-bind"},
    {"SLURM_GPU_BIND", "gpu-bind"},
    {"SLURM_MEM_BIND", "mem-bind"},
    {"SLURM_DISTRIBUTION", "distribution"},
    {"SLURM_HINT", "hint"},
    {"SLURM_LABELIO", "label"},
    {"SLURM_UNBUFFEREDIO", "unbuffered"},
    {"SLURM_KILL_BAD_EXIT", "kill-on-bad-exit"},
    {"SLURM_EXPORT_ENV", "export"},
    {"SRUN_CPUS_PER_TASK", "cpus-per-task"},
});

bool is_switch(std::string_view option) { return option == "label" || option == "unbuffered"; }

void take(std::string_view name, const Word& value, const Launch& step, std::vector<StepVariable>& out) {
  const auto row = std::find_if(options.begin(), options.end(), [&](const auto& each) { return each.first == name; });
  if (row == options.end() || value.text.empty() || step.option(row->second) != nullptr) return;
  std::erase_if(out, [&](const StepVariable& each) { return each.name == name; });
  StepVariable taken{std::string(name), {std::string(row->second), value, value.span}};
  if (is_switch(row->second)) taken.option.value.reset();
  out.push_back(std::move(taken));
}

}  // namespace

std::vector<StepVariable> variables_of_step(const Body& body, const Launch& step) {
  std::vector<StepVariable> out;
  for (const Export& e : body.exports) {
    if (!e.value || e.value->span.end > step.span.begin) continue;
    Word value = *e.value;
    value.literal = value.literal && e.unconditional;
    take(e.name, value, step, out);
  }
  for (const Assignment& a : body.commands[step.command].assignments) take(a.name, a.value, step, out);
  return out;
}

}  // namespace muster::targets::slurm::lifting

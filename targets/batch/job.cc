#include "targets/slurm/job.h"

#include <algorithm>

namespace muster::targets::slurm {
std::int64_t Job::tasks() const {
  const model::Runner r = runner();
  const bool each = r == model::Runner::processes || r == model::Runner::mpi || r == model::Runner::batch_script;
  return each ? std::max<std::int64_t>(1, shape.processes) : 1;
}

bool Job::inherits_all() const {
  return role.launch.inherits ? role.launch.inherits->value == model::Inherit::all : plane.export_all;
}

bool Job::keeps_record() const {
  if (part.is_part()) return false;
  if (!workload.retry || workload.retry->limit.value <= 0) return false;
  return std::any_of(workload.retry->on.begin(), workload.retry->on.end(),
                     [](const auto& on) { return on.value == model::RetryOn::exit_codes; });
}

std::vector<std::string> variables_of(const Job& job) {
  std::vector<std::string> out;
  if (const model::FabricAttachment* fabric = find_fabric(job.plan, job.shape))
    for (const model::EnvVar& variable : fabric->env) out.push_back(variable.name);
  for (const model::EnvVar& variable : job.role.env) out.push_back(variable.name);
  for (const model::Secret& secret : job.role.secrets)
    if (secret.env) out.push_back(secret.env->value);
  return out;
}

void Exports::add(std::string_view name, std::string_view word) {
  constexpr std::size_t width = 118;
  const std::string item = " " + std::string(name) + "=" + std::string(word);
  if (!line_.empty() && line_.size() + item.size() > width) end();
  line_ += (line_.empty() ? "export" : "") + item;
}

void Exports::end() {
  if (!line_.empty()) job_.line(line_);
  line_.clear();
}

}  // namespace muster::targets::slurm

#include "targets/batch/job.h"

#include <algorithm>

#include "compiler/model/launcher.h"

namespace muster::targets::batch {

std::string_view Job::option_of(Request request) const {
  for (const Spelling& spelling : dialect.spellings)
    if (spelling.request == request) return spelling.option;
  return "";
}

bool Job::has(Request request) const {
  const std::string_view option = option_of(request);
  return !option.empty() && std::any_of(directives.begin(), directives.end(), [&](const std::string& directive) {
    if (!directive.starts_with(option) || directive.size() == option.size()) return false;
    return directive[option.size()] == '=' || directive[option.size()] == ' ';
  });
}

void Job::ask(Request request, std::string_view value, const FieldRef& field) {
  const std::string_view option = option_of(request);
  if (option.empty()) refuse(field, system() + " has no option for this");
  else dialect.add_option(*this, option, value, field);
}

std::int64_t Job::tasks() const {
  const bool each = model::row_of(runner()).started_by == model::StartedBy::scheduler;
  return each ? std::max<std::int64_t>(1, shape.processes) : 1;
}

bool Job::inherits_all() const {
  return role.launch.inherits ? role.launch.inherits->value == model::Inherit::all : batch.export_all;
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

}  // namespace muster::targets::batch

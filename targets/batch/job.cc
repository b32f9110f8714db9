#include "targets/batch/job.h"

#include <algorithm>

#include "compiler/model/runner.h"
#include "targets/batch/sections.h"

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

std::string Job::name() const {
  const std::string& own = workload.title ? workload.title->value : workload.name;
  return run.empty() ? own : own + "-" + std::string(run);
}

std::int64_t Job::tasks() const { return shape.tasks(); }

bool Job::is_elastic() const {
  const bool one_part = !has_parts(plan) && !part.is_part();
  const bool chosen = !shape.pinned.empty() || !shape.only_nodes.empty();
  const bool whole = role.topology && (role.topology->segment || batch.topology == model::SlurmTopology::block);
  const bool ray = runner() == model::Runner::ray && shape.nodes < 2;  // it would have no workers to start
  return one_part && is_range(role.resources.nodes) && !dialect.variables.node_count.empty() && !chosen && !whole &&
         !ray;
}

std::string Job::nodes_word(std::int64_t each) const {
  if (!is_elastic()) return std::to_string(shape.nodes * each);
  const std::string count(dialect.variables.node_count);
  if (each == 1) return "\"" + count + "\"";
  return "\"$((" + count + " * " + std::to_string(each) + "))\"";
}

std::string Job::head_word() const {
  if (part.is_part()) return part.head;
  const bool listed = may_have_nodes() || dialect.variables.named_by_list;
  return listed ? "${nodes[0]}" : std::string(dialect.variables.node_name);
}

std::string Job::head() {
  const bool listed = may_have_nodes() || dialect.variables.named_by_list;
  own.nodes = own.nodes || (listed && !part.is_part());
  return head_word();
}

std::string Job::port() {
  own.port = true;
  return port_word();
}

// Roles on the same nodes have different ones.
std::string Job::port_word() const {
  return part.place == 0 ? "$port" : "$((port + " + std::to_string(part.place) + "))";
}

std::string Job::dir() {
  own.dir = true;
  return "$dir";
}

bool Job::inherits_all() const {
  return role.launch.inherits ? role.launch.inherits->value == model::Inherit::all : batch.export_all;
}

bool Job::keeps_record() const {
  if (part.is_part() || dialect.restart.command.empty()) return false;
  if (!workload.retry || workload.retry->limit.value <= 0) return false;
  return std::any_of(workload.retry->on.begin(), workload.retry->on.end(),
                     [](const auto& on) { return on.value == model::RetryOn::exit_codes; });
}

bool is_own_name(std::string_view name) {
  constexpr std::string_view names[] = {"nodes",   "port",    "dir",       "tmp",     "record",   "node",  "script",
                                        "setup",   "names",   "pid",       "pids",    "ends",     "rc",    "final",
                                        "stopped", "code",    "end",       "way",     "i",        "roles", "log",
                                        "n",       "head_ip", "ray_ports", "replica", "node_rank"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names) || name.ends_with("_nodes");
}

std::string spelt(std::string_view option, std::string_view value) {
  const bool joined = option.starts_with("--") || option.find(' ') != option.npos;
  return std::string(option) + (joined ? "=" : " ") + std::string(value);
}

std::string bash_name(const std::string& name) {
  std::string out = name;
  for (char& c : out)
    if (c == '-' || c == '.') c = '_';
  return out;
}

std::vector<std::string> variables_of(const Job& job) {
  std::vector<std::string> out;
  if (const model::FabricAttachment* fabric = find_fabric(job.plan, job.shape))
    for (const model::EnvVar& variable : fabric->env) out.push_back(variable.name);
  for (const model::EnvVar& variable : job.role.env)
    if (!is_late(job, variable.value)) out.push_back(variable.name);  // else it is set inside, from the image's own
  for (const model::Secret& secret : job.role.secrets)
    if (secret.env) out.push_back(secret.env->value);
  return out;
}

}  // namespace muster::targets::batch

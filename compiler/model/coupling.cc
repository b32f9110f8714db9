#include "compiler/model/coupling.h"

#include <algorithm>
#include <vector>

#include "compiler/base/text.h"
#include "compiler/model/runner.h"
#include "compiler/shell/launchers.h"

namespace muster::model {
namespace {

bool is_local(std::string_view address) { return address.starts_with("localhost") || address.starts_with("127."); }

// Whether the options of a launcher make its processes those of several nodes.
bool spans_nodes(const shell::Launch& launch) {
  const shell::LauncherRow& row = row_of(launch.kind);
  if (launch.option("standalone") != nullptr) return false;
  bool said = false;
  for (const shell::LaunchOption& option : launch.options) {
    const std::string_view value = option.value ? std::string_view(option.value->text) : std::string_view();
    if (lists_name(row.nodes, option.name)) {
      if (value == "1") return false;
      said = true;
    }
    if (lists_name(row.addresses, option.name) && !is_local(value)) said = true;
  }
  return said || !row.one_node;
}

std::string_view rendezvous_variable(const Role& role) {
  for (const EnvVar& variable : role.env)
    if (is_rendezvous(variable.name, variable.value.bytes)) return variable.name;
  return {};
}

shell::Body body_of(const Role& role) {
  if (!role.program) return {};
  if (const auto* script = std::get_if<Script>(&role.program->value))
    return shell::read_body({script->bytes, 0, 0, static_cast<std::uint32_t>(script->bytes.size())});
  std::vector<shell::Word> words;
  for (const Text& word : std::get<Argv>(role.program->value)) words.push_back({word.bytes});
  for (const Located<Text>& word : role.args) words.push_back({word.value.bytes});
  return shell::read_command(std::move(words), {});
}

Coupling coupling_of_role(const Workload& workload, const Role& role) {
  const bool serves = workload.kind.value == Kind::serve;
  const Span nodes = role.resources.nodes ? role.resources.nodes->span : Span{};
  if (serves && role.fabric.value == FabricRequest::required) return {CoupledBy::fabric, &role, {}, role.fabric.span};
  if (serves && role.nodes() > 1) return {CoupledBy::replica, &role, {}, nodes};
  const Runner runner = role.launch.runner.value;
  const RunnerRow& row = row_of(runner);
  if (row.coupled || (row.coupled_over_nodes && role.nodes() > 1))
    return {CoupledBy::runner, &role, name(runner), role.launch.runner.span};
  if (role.nodes() <= 1) return {};
  if (const std::string_view variable = rendezvous_variable(role); !variable.empty())
    return {CoupledBy::variable, &role, variable, nodes};
  if (const std::string_view launcher = launcher_over_nodes(body_of(role)); !launcher.empty())
    return {CoupledBy::command, &role, launcher, role.program->span};
  return {};
}

// Nodes without which the Ray cluster of these roles is not the one that was asked for.
std::int64_t nodes_of_ray(const Workload& workload) {
  std::int64_t out = 0;
  for (const Role& role : workload.roles) {
    if (role.with || role.launch.runner.value != Runner::ray) continue;
    const auto& nodes = role.resources.nodes;
    const bool comes_later = nodes && nodes->value.low == 1 && nodes->value.high > 1;
    if (!comes_later) out += role.nodes();
  }
  return out;
}

bool is_ray(const Workload& workload) {
  return std::any_of(workload.roles.begin(), workload.roles.end(),
                     [](const Role& role) { return role.launch.runner.value == Runner::ray; });
}

}  // namespace

bool couples(Kind kind) { return kind == Kind::train || kind == Kind::mpi || kind == Kind::rl; }

Coupling coupling_of(const Workload& workload) {
  if (couples(workload.kind.value)) return {CoupledBy::kind, nullptr, {}, workload.kind.span};
  for (const Role& role : workload.roles)
    if (const Coupling found = coupling_of_role(workload, role)) return found;
  if (workload.kind.value != Kind::serve && is_ray(workload) && nodes_of_ray(workload) > 1)
    for (const Role& role : workload.roles)
      if (role.launch.runner.value == Runner::ray)
        return {CoupledBy::runner, &role, name(Runner::ray), role.launch.runner.span};
  return {};
}

std::int64_t coupled_nodes(const Workload& workload) {
  std::int64_t widest = 1, all = 0, roles = 0;
  for (const Role& role : workload.roles) {
    if (role.with) continue;
    ++roles;
    all += role.nodes() * role.copies();
    if (coupling_of_role(workload, role)) widest = std::max(widest, role.nodes());
  }
  const bool each_alone = workload.gang && workload.gang->value == Gang::replica && roles == 1;
  if (couples(workload.kind.value) && !each_alone) return std::max<std::int64_t>(all, 1);
  return workload.kind.value == Kind::serve ? widest : std::max(widest, nodes_of_ray(workload));
}

std::string together(const Workload& workload) {
  const Coupling coupling = coupling_of(workload);
  const std::string nodes = "the " + std::to_string(coupled_nodes(workload)) + " nodes";
  const std::string what(coupling.what);
  switch (coupling.by) {
    case CoupledBy::nothing: return {};
    case CoupledBy::kind:
      return nodes + " of kind `" + std::string(name(workload.kind.value)) + "` must start together";
    case CoupledBy::fabric:
    case CoupledBy::replica: return nodes + " of a replica must start together";
    case CoupledBy::runner: return nodes + " of runner `" + what + "` must start together";
    case CoupledBy::variable: return nodes + " that meet by `" + what + "` must start together";
    case CoupledBy::command: return nodes + " of `" + what + "` must start together";
  }
  return {};
}

bool is_rendezvous(std::string_view variable, std::string_view value) {
  for (const RunnerRow& row : runner_rows()) {
    if (row.started_by == StartedBy::itself || variable.empty()) continue;
    if (variable == row.variables.world && value != "1") return true;
    if (variable == row.variables.address && !is_local(value)) return true;
  }
  return false;
}

std::string_view launcher_over_nodes(const shell::Body& body) {
  for (const shell::Launch& launch : body.launches) {
    const shell::LauncherRow& row = row_of(launch.kind);
    const bool works_together = row.trains || row.starts == shell::Starts::workers;
    const bool has_words = !launch.options.empty() || !launch.program.empty();
    if (works_together && has_words && spans_nodes(launch)) return row.name;
  }
  return {};
}

}  // namespace muster::model

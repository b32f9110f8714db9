#include "compiler/model/coupling.h"

#include <algorithm>
#include <vector>

#include "compiler/base/text.h"
#include "compiler/model/runner.h"
#include "compiler/shell/launchers.h"

namespace muster::model {
namespace {

using Words = std::vector<std::string_view>;

// The words of each command, which ends at a line that is not continued, or where a shell starts the next one.
std::vector<Words> commands_of(std::string_view text) {
  std::vector<Words> out(1);
  const auto end = [&] {
    if (!out.back().empty()) out.emplace_back();
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\\' && at + 1 < text.size() && text[at + 1] == '\n') {
      at += 2;
    } else if (is_space(c) || std::string_view(";&|\"'()").find(c) != std::string_view::npos) {
      if (std::string_view("\n;&|").find(c) != std::string_view::npos) end();
      ++at;
    } else if (c == '#' && (at == 0 || is_space(text[at - 1]))) {
      at = std::min(text.find('\n', at), text.size());
    } else {
      const std::size_t begin = at;
      at = std::min(text.find_first_of(" \t\r\n;&|\"'()\\", at + 1), text.size());
      out.back().push_back(text.substr(begin, at - begin));
    }
  }
  return out;
}

bool is_local(std::string_view address) { return address.starts_with("localhost") || address.starts_with("127."); }

// Whether the options behind a launcher make its processes those of several nodes.
bool spans_nodes(const shell::LauncherRow& row, const Words& words, std::size_t after) {
  bool said = false;
  for (std::size_t i = after; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) continue;
    const std::string_view word = words[i].substr(std::min(words[i].find_first_not_of('-'), words[i].size()));
    const std::size_t equals = word.find('=');
    const std::string option = dashed(word.substr(0, equals));
    const std::string_view value = equals != word.npos    ? word.substr(equals + 1)
                                   : i + 1 < words.size() ? words[i + 1]
                                                          : std::string_view();
    if (option == "standalone") return false;
    if (lists_name(row.nodes, option)) {
      if (value == "1") return false;
      said = true;
    }
    if (lists_name(row.addresses, option) && !is_local(value)) said = true;
  }
  return said || !row.one_node;
}

const shell::LauncherRow* launcher_at(const Words& words, std::size_t i) {
  const std::string_view word = base_name(words[i]);
  const std::string_view next = i + 1 < words.size() ? words[i + 1] : std::string_view();
  for (const shell::LauncherRow& row : shell::launcher_rows()) {
    const bool works_together = row.trains || row.starts == shell::Starts::workers;
    const bool module = i > 0 && words[i - 1] == "-m" && lists_name(row.modules, words[i]);
    const bool program =
        lists_name(row.programs, word) && (row.subcommands.empty() || lists_name(row.subcommands, next));
    if (works_together && !next.empty() && (module || program)) return &row;
  }
  return nullptr;
}

std::string_view rendezvous_variable(const Role& role) {
  for (const EnvVar& variable : role.env)
    if (is_rendezvous(variable.name, variable.value.bytes)) return variable.name;
  return {};
}

std::string text_of(const Role& role) {
  std::string out;
  if (!role.program) return out;
  if (const auto* script = std::get_if<Script>(&role.program->value)) return script->bytes;
  for (const Text& word : std::get<Argv>(role.program->value)) out += word.bytes + " ";
  for (const Located<Text>& word : role.args) out += word.value.bytes + " ";
  return out;
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
  if (const std::string_view launcher = launcher_over_nodes(text_of(role)); !launcher.empty())
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

std::string_view launcher_over_nodes(std::string_view text) {
  for (const Words& words : commands_of(text))
    for (std::size_t i = 0; i < words.size(); ++i)
      if (const shell::LauncherRow* row = launcher_at(words, i); row != nullptr && spans_nodes(*row, words, i + 1))
        return row->name;
  return {};
}

}  // namespace muster::model

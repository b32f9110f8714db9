// The commands by which the known inference servers are started.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "compiler/model/engines.h"
#include "compiler/model/runner.h"
#include "compiler/model/workload.h"
#include "compiler/shell/programs.h"

namespace muster::model {
namespace {

// `-l`, `-i`, `-li`: of a shell that a person types in.
bool is_for_a_person(const Text& word) {
  if (!word.is_plain()) return false;
  const std::string& flag = word.bytes;
  if (flag == "--login" || flag == "--interactive") return true;
  return flag.size() > 1 && flag[0] == '-' && flag.find_first_not_of("il", 1) == std::string::npos;
}

// The command, where it is a shell for a person and nothing else: without a terminal it would end at once.
const std::string* lone_shell(const Workload& workload, const Role& role) {
  const Argv* argv = role.program ? std::get_if<Argv>(&role.program->value) : nullptr;
  if (workload.kind.value != Kind::dev || argv == nullptr || argv->empty() || !role.args.empty()) return nullptr;
  if (!std::all_of(argv->begin() + 1, argv->end(), is_for_a_person)) return nullptr;
  const std::string& word = argv->front().bytes;
  return shell::has_trait(word, shell::any_shell) ? &word : nullptr;
}

Argv interactive_command(const Workload& workload, const Role& role) {
  if (row_of(role.launch.runner.value).started_by != StartedBy::itself) return {};
  if (!workload.dev || workload.dev->interface.value != Interface::jupyter) return {"sleep", "infinity"};
  Argv words = {"jupyter", "lab", "--no-browser"};
  if (!role.ports.empty()) words.push_back("--port=" + std::to_string(role.ports.front().number.value));
  return words;
}

void add_degree(Argv& words, std::string_view option, std::int64_t degree) {
  if (degree > 1 && !option.empty()) words.insert(words.end(), {std::string(option), std::to_string(degree)});
}

}  // namespace

std::string shell_of(const Workload& workload, const Role& role) {
  const std::string* shell = lone_shell(workload, role);
  return shell == nullptr ? "bash" : *shell;
}

Argv started_command(const Workload& workload, const Role& role) {
  const Argv* argv = role.program ? std::get_if<Argv>(&role.program->value) : nullptr;
  if (argv == nullptr || lone_shell(workload, role) != nullptr) return server_command(workload, role);
  return *argv;
}

bool runs_entrypoint(const Workload& workload, const Role& role) {
  const bool applications = workload.serve && workload.serve->config;  // of Ray Serve
  return !role.program && role.image && !applications && role.launch.runner.value != Runner::ray &&
         started_command(workload, role).empty();
}

Argv server_command(const Workload& workload, const Role& role) {
  if (workload.kind.value == Kind::dev) return interactive_command(workload, role);
  if (!workload.serve || !workload.serve->engine || !workload.serve->model) return {};
  const Serve& serve = *workload.serve;
  const EngineRow& row = row_of(serve.engine->value);
  Argv words;
  for (const std::string_view word : names_in(row.starts)) words.push_back(std::string(word));
  words.push_back(serve.model->value);
  for (const Port& port : role.ports)
    if (serve.port && port.name == serve.port->value)
      words.insert(words.end(), {"--port", std::to_string(port.number.value)});
  const ServerDegrees degrees = server_degrees(serve, role);
  add_degree(words, row.tensor, degrees.tensor);
  add_degree(words, row.pipeline, degrees.pipeline);
  add_degree(words, row.data, degrees.data);
  for (const auto& word : serve.args) words.push_back(word.value);
  return words;
}

}  // namespace muster::model

#include "targets/contract/variables.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/runner.h"
#include "targets/contract/checks.h"
#include "targets/contract/launch.h"
#include "targets/lookup.h"
#include "targets/shell.h"

namespace muster::targets::contract {
namespace {

// Adds a variable that the scheduler tells, or that the launcher has.
void add_known(Variables& out, std::string_view name, std::string word) {
  if (!name.empty() && !word.empty()) out.push_back({std::string(name), std::move(word)});
}

const model::RunnerVariables& launcher_of(const Run& run) { return row_of(run.role.launch.runner.value).variables; }

std::string nodes_of(const Run& run) {
  return run.names.nodes.empty() ? std::to_string(run.shape.nodes) : run.names.nodes;
}

// Where the number of nodes is known only when it runs, so is the product.
std::string world_size(const Run& run) {
  const std::int64_t each = run.shape.processes;
  if (run.names.nodes.empty()) return std::to_string(run.shape.processes_of_replica());
  const std::string_view nodes = run.names.nodes;
  const bool name = nodes.starts_with('$') && is_env_name(nodes.substr(1));
  return "\"$((" + std::string(nodes.substr(name ? 1 : 0)) + " * " + std::to_string(each) + "))\"";
}

}  // namespace

std::string value_of(std::string_view variable, Shell shell) {
  const std::string value = "$" + std::string(variable);
  return shell == Shell::bash ? value : "\"" + value + "\"";
}

std::string word_of(std::string_view bytes, Shell shell) {
  return shell == Shell::bash ? sh_word(bytes) : sh_text(bytes);
}

Variables identity(const Run& run) {
  Variables out = {{"MUSTER_NAME", word_of(run.workload.name, run.names.shell)},
                   {"MUSTER_ROLE", word_of(run.role.name, run.names.shell)}};
  add_known(out, "MUSTER_ID", run.names.id);
  add_known(out, "MUSTER_ATTEMPT", run.names.attempt);
  return out;
}

Variables point(const Run& run) {
  if (!run.workload.sweep) return {};
  Variables out;
  add_known(out, "MUSTER_POINT", run.names.point);
  out.push_back({"MUSTER_POINTS", std::to_string(run.workload.sweep->points())});
  return out;
}

Variables copies(const Run& run) {
  Variables out;
  add_known(out, "MUSTER_REPLICA", run.names.replica);
  out.push_back({"MUSTER_REPLICAS", std::to_string(plan::demand_of(run.workload, run.role).written)});
  return out;
}

Variables nodes(const Run& run) {
  Variables out = {{"MUSTER_NODES", nodes_of(run)}};
  add_known(out, "MUSTER_NODE_RANK", run.names.rank);
  add_known(out, "MUSTER_NODE_ADDR", run.names.address);
  return out;
}

Variables head(const Run& run) {
  Variables out;
  add_known(out, "MUSTER_HEAD_ADDR", run.names.head);
  add_known(out, "MUSTER_PORT", run.names.port);
  return out;
}

Variables amounts(const Run& run) {
  const plan::RolePlan& shape = run.shape;
  return {{"MUSTER_GPUS_PER_NODE", std::to_string(shape.gpus)},
          {"MUSTER_CPUS", shape.cpus ? std::to_string(*shape.cpus) : run.names.cpus},
          {"MUSTER_MEMORY_MB", shape.memory ? std::to_string(shape.memory->mebibytes_up()) : run.names.memory},
          {"MUSTER_PROCS_PER_NODE", std::to_string(shape.processes)},
          {"MUSTER_WORLD_SIZE", world_size(run)}};
}

Variables folders(const Run& run) {
  Variables out;
  add_known(out, "MUSTER_DIR", run.names.dir);
  add_known(out, "MUSTER_TMP", run.names.tmp);
  return out;
}

Variables hostfile(const Run& run) { return {{"MUSTER_HOSTFILE", run.names.hostfile}}; }

Variables peers(const Run& run) {
  Variables out;
  for (const Peer& peer : run.names.peers) {
    out.push_back({contract_name("MUSTER_ADDR_", peer.role), peer.head});
    out.push_back({contract_name("MUSTER_HOSTS_", peer.role), peer.hosts_file});
  }
  return out;
}

Variables launcher_counts(const Run& run) {
  const model::RunnerVariables& names = launcher_of(run);
  Variables out;
  add_known(out, names.nodes, nodes_of(run));
  add_known(out, names.per_node, std::to_string(run.shape.processes));
  add_known(out, names.world, world_size(run));
  return out;
}

// What has no port of its own gets the head in other ways.
Variables launcher_address(const Run& run) {
  const model::RunnerVariables& names = launcher_of(run);
  Variables out;
  if (names.port.empty()) return out;
  add_known(out, names.address, run.names.head);
  if (run.names.port != names.usual_port) add_known(out, names.port, run.names.port);
  return out;
}

Variables launcher_rank(const Run& run) {
  Variables out;
  const model::RunnerVariables& launcher = launcher_of(run);
  add_known(out, launcher.node_rank, run.names.rank);
  if (run.shape.processes != 1) return out;  // several on a node find their own where they are started
  add_known(out, launcher.process_rank, run.names.rank);
  add_known(out, launcher.local_rank, "0");
  return out;
}

Variables torchrun_alone(const Run& run) {
  return {{"PET_STANDALONE", "1"}, {"PET_NPROC_PER_NODE", std::to_string(run.shape.processes)}};
}

Variables launcher_stop(const Run& run, std::int64_t seconds) {
  Variables out;
  if (!run.workload.stop || !is_torch_launcher(run.role.launch.runner.value)) return out;
  const std::string& signal = run.workload.stop->signal.value;
  if (seconds > torch_patience) out.push_back({"TORCH_ELASTIC_SHUTDOWN_TIMEOUT", std::to_string(seconds)});
  if (!torch_passes(signal))
    out.push_back({"TORCHELASTIC_SIGNALS_TO_HANDLE", "SIGTERM,SIGINT,SIGHUP,SIGQUIT,SIG" + signal});
  std::erase_if(out, [&](const Variable& variable) {  // the user's own word wins
    return std::any_of(run.role.env.begin(), run.role.env.end(),
                       [&](const model::EnvVar& own) { return own.name == variable.name; });
  });
  return out;
}

Variables checkpoint(const Run& run, Account& account) {
  const auto& wanted = run.workload.checkpoint;
  if (!wanted || !wanted->path || refuse_nul(account, wanted->path->value, Field::checkpoint_path, "the path"))
    return {};
  return {{"MUSTER_CHECKPOINT", word_of(wanted->path->value, run.names.shell)}};
}

std::optional<Variable> port(const model::Port& port, Account& account) {
  const std::string name = contract_name("MUSTER_PORT_", port.name);
  if (is_env_name(name)) return Variable{name, std::to_string(port.number.value)};
  account.refuse_at(port.span, {Field::port, port.name},
                    "`" + port.name + "` cannot be used in the name of an environment variable");
  return std::nullopt;
}

std::optional<Variable> mount(const model::Mount& mount, Shell shell, Account& account) {
  const std::string name = contract_name("MUSTER_MOUNT_", mount.name);
  if (is_env_name(name)) return Variable{name, word_of(mount.path.value, shell)};
  account.refuse_at(mount.span, {Field::mount, mount.name},
                    "`" + mount.name + "` cannot be used in the name of an environment variable");
  return std::nullopt;
}

void add(Exports& exports, const Variables& variables, const Wanted& wanted) {
  for (const Variable& variable : variables)
    if (!variable.name.starts_with("MUSTER_") || wanted.has(variable.name)) exports.add(variable.name, variable.word);
}

}  // namespace muster::targets::contract

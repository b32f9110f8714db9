// The run-time contract as lines of sh, and the user's environment.
#include <algorithm>
#include <set>
#include <span>

#include "compiler/base/text.h"
#include "compiler/shell/launchers.h"
#include "targets/contract/checks.h"
#include "targets/contract/given.h"
#include "targets/contract/variables.h"
#include "targets/exports.h"
#include "targets/given_names.h"
#include "targets/kubernetes/pod_draft.h"
#include "targets/lookup.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::int64_t rendezvous_port = 29500;

// Roles of one pod meet at different ports; the one behind each is for a test. In the node's own network the runs of a
// node must not meet: ten ports each, by the object's uid, the same in all pods.
std::string meeting_port(const PodDraft& pod) {
  const auto offset = static_cast<std::int64_t>(2 * pod.place);
  if (!uses_host_network(pod)) return std::to_string(rendezvous_port + offset);
  return "\"$((" + std::to_string(10000 + offset) +
         " + 10 * ($(printf %s \"$MUSTER_ID\" | cksum | cut -d ' ' -f 1) % 2000)))\"";
}

std::string or_else(const std::string& word, std::string_view otherwise) {
  return word.empty() ? std::string(otherwise) : word;
}

// What the kind tells, and what every pod has.
contract::RunNames names_of(const PodDraft& pod) {
  contract::RunNames names = pod.options.run;
  names.id = or_else(names.id, pod.draft.name_word());
  names.head = or_else(names.head, "\"$MUSTER_NODE_ADDR\"");
  names.port = meeting_port(pod);
  // Where the workload leaves it to the node, what the node has.
  names.cpus = "\"$(nproc)\"";
  names.memory = "\"$(($(sed -n 's/^MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo) / 1024))\"";
  names.dir = files_dir;
  names.tmp = scratch_dir;
  names.hostfile = std::string(scratch_dir) + "/hosts" + (pod.place == 0 ? "" : "-" + pod.role.name);
  for (const RoleAddress& other : pod.options.others)
    names.peers.push_back({other.role, other.head, std::string(scratch_dir) + "/hosts." + other.role});
  return names;
}

void add(PodDraft& pod, const contract::Variables& variables) {
  pod.exports.insert(pod.exports.end(), variables.begin(), variables.end());
}

void write_hostfiles(PodDraft& pod) {
  if (!pod.wanted.has("MUSTER_HOSTFILE") && !pod.wanted.has_any("MUSTER_HOSTS_")) return;
  const std::string hosts = or_else(pod.options.run.hosts, "echo \"$MUSTER_HEAD_ADDR\"");
  pod.line("{ " + hosts + "; } | sed 's/$/ slots=" + std::to_string(pod.shape.processes) + "/' > \"$MUSTER_HOSTFILE\"");
  for (const RoleAddress& other : pod.options.others)
    pod.line("{ " + other.hosts + "; } > \"$" + contract_name("MUSTER_HOSTS_", other.role) + "\"");
}

// One line a point: its id, and the axes that the program reads.
void add_points(PodDraft& pod) {
  if (!pod.workload.sweep || pod.options.run.point.empty()) return;
  const model::Sweep& sweep = *pod.workload.sweep;
  const auto ids = sweep.ids();
  for (const model::Axis& axis : sweep.axes)
    for (const std::string& value : axis.values)
      if (has_nul(value))
        return pod.refuse(model::Field::sweep_axes,
                          "a value contains a NUL byte, which an environment variable cannot contain");
  const bool number = pod.wanted.has("MUSTER_POINT") || model::refers_to(pod.role, model::RefersTo::run, "point");
  const auto axes = contract::axis_variables(pod.role);
  pod.exports.push_back({"MUSTER_POINTS", std::to_string(sweep.points())});
  if (axes.empty() && !ids) return pod.exports.push_back({"MUSTER_POINT", "\"" + pod.options.run.point + "\""});
  if (axes.empty() && !number) return;
  pod.of_points.emplace_back("MUSTER_POINT");
  for (const auto& [variable, name] : axes) pod.of_points.push_back(variable);
  pod.line("case " + pod.options.run.point + " in");
  for (std::size_t point = 0; point < sweep.points(); ++point) {
    std::string line = "  " + std::to_string(point) + ") export";
    if (number) line += " MUSTER_POINT=" + std::to_string(ids ? (*ids)[point] : static_cast<std::int64_t>(point));
    for (const auto& [variable, name] : axes)
      for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
        if (sweep.axes[axis].name == name) line += " " + variable + "=" + sh_text(sweep.value(axis, point));
    pod.line(line + " ;;");
  }
  pod.line("esac");
}

// What a variable of Slurm has on pods: a pod is a node, and the process of its text.
std::string_view of_pod(const GivenName& name) {
  return contract_name(name.meaning == Given::process_rank ? Given::node_rank : name.meaning);
}

// Those of which few scripts read one: set where the text does.
bool is_rare(const GivenName& name) {
  return !name.name.starts_with("SLURM_") ||
         is_one_of(name.name, {"SLURM_JOB_CPUS_PER_NODE", "SLURM_MEM_PER_NODE", "SLURM_LAUNCH_NODE_IPADDR"});
}

bool is_of_array(const GivenName& name) { return name.name.starts_with("SLURM_ARRAY_"); }

// Whether a pod with the names of Slurm has this one.
bool has_slurm_name(const PodDraft& pod, std::string_view name) {
  const GivenName* row = given_name(BatchSystem::slurm, name);
  if (row == nullptr || pod.role.launch.compat.value != model::Compat::slurm) return false;
  if (is_of_array(*row)) return pod.workload.sweep.has_value();
  using enum Given;
  return !of_pod(*row).empty() || row->meaning == local_rank || row->meaning == cpus_of_task || row->meaning == hosts;
}

// The names of Slurm that scripts read, from the contract's.
void add_slurm_names(PodDraft& pod, const std::vector<contract::SystemRead>& reads) {
  if (pod.role.launch.compat.value != model::Compat::slurm) return pod.read(model::Field::launch_compat, "no SLURM_*");
  std::set<std::string_view> printed;
  for (const contract::SystemRead& read : reads)
    if (read.printed && !read.has_own && read.name != "TMPDIR" && !has_slurm_name(pod, read.name))
      printed.insert(read.name);
  if (printed.empty()) pod.exact(model::Field::launch_compat, "SLURM_* from the contract");
  else
    pod.approximated(model::Field::launch_compat, "SLURM_* from the contract",
                     "a pod has no " + std::string(*printed.begin()) + ", which the text prints");
  {
    Exports exports(pod.prelude);
    const auto add = [&](const GivenName& name) {
      exports.add(std::string(name.name), contract::value_of(of_pod(name), contract::Shell::posix));
    };
    const auto is_read = [&](const GivenName& name) {
      return std::any_of(reads.begin(), reads.end(), [&](const auto& read) { return read.name == name.name; });
    };
    const std::span<const GivenName> all = given_names(BatchSystem::slurm);
    for (const bool rare : {true, false})
      for (const GivenName& name : all)
        if (is_rare(name) == rare && !is_of_array(name) && !of_pod(name).empty() && (!rare || is_read(name))) add(name);
    exports.add("SLURM_LOCALID", "0");
    exports.add("SLURM_CPUS_PER_TASK", "\"$((MUSTER_CPUS / MUSTER_PROCS_PER_NODE))\"");
    for (const GivenName& name : all)
      if (is_of_array(name) && pod.workload.sweep) add(name);
  }
  pod.line(
      "SLURM_JOB_NODELIST=$(sed 's/ .*//' \"$MUSTER_HOSTFILE\" | paste -sd, -); SLURM_NODELIST=$SLURM_JOB_NODELIST");
  pod.line("export SLURM_JOB_NODELIST SLURM_NODELIST");
}

// Slurm and PBS have a folder for the job on the disk of its node.
bool needs_tmp(const contract::SystemRead& read) { return read.name == "TMPDIR" && !read.has_own; }

// What the launcher finds in its environment, from muster or from the operator, and what the kind itself sets.
bool is_given(const PodDraft& pod, std::string_view name) {
  const auto named = [&](const Node& variable) { return variable.get("name")->text == name; };
  if (name == "TMPDIR" || has_slurm_name(pod, name)) return true;
  if (std::any_of(pod.variables.begin(), pod.variables.end(), named)) return true;
  const auto exported = [&](const contract::Variable& variable) { return variable.name == name; };
  if (std::any_of(pod.exports.begin(), pod.exports.end(), exported)) return true;
  const auto& run = pod.options.run;
  for (const std::string_view prefix : {"LWS_", "VC_"})
    if (name.starts_with(prefix) && (run.rank + run.head).find(prefix) != std::string::npos) return true;
  return name.starts_with("PET_") && run.operator_sets_launcher;
}

// All words and texts of the role in which a launcher can be called.
std::string words_of(const model::Role& role) {
  std::string out = role.setup ? role.setup->value.bytes : std::string();
  if (!role.program) return out;
  if (const auto* script = std::get_if<model::Script>(&role.program->value)) return out + script->bytes;
  for (const model::Text& word : std::get<model::Argv>(role.program->value)) out += " " + word.bytes;
  return out + " ";
}

// A launcher of the user's own that is not told the nodes takes their number from the operator's variable, and joins
// nodes that each of them had for itself.
void refuse_joined_nodes(PodDraft& pod) {
  if (!pod.options.run.operator_sets_launcher || pod.runner() == model::Runner::torchrun || pod.shape.nodes < 2) return;
  const std::string words = words_of(pod.role);
  const auto named = [&](std::string_view name) { return words.find(name) != std::string::npos; };
  const shell::LauncherRow& row = row_of(shell::Launcher::torchrun);
  const auto programs = names_in(row.programs), modules = names_in(row.modules);
  const bool starts =
      std::any_of(programs.begin(), programs.end(), named) || std::any_of(modules.begin(), modules.end(), named);
  if (!starts || named("--nnodes")) return;
  const bool script = std::holds_alternative<model::Script>(pod.role.program->value);
  const std::string word(named(programs.front()) ? programs.front() : modules.front());
  pod.refuse_at(contract::place_in(pod.role.program->span, word, 0, pod.draft.options.sources),
                script ? model::Field::script : model::Field::command,
                "`" + word + "` without `--nnodes` would join the nodes by PET_NNODES of the operator",
                "write `--nnodes=1`, or `launch { runner = torchrun }`");
}

// An image does not know the site's user: without these it has no name, and its home is `/`, where it cannot write.
void add_home(PodDraft& pod) {
  const auto& identity = pod.site().identity;
  if (!identity || !identity->uid || identity->uid->value == 0) return;
  for (const auto& [name, value] : {std::pair{"HOME", "/tmp"}, std::pair{"USER", "nonroot"}}) {
    const auto is_it = [&](const model::EnvVar& variable) { return variable.name == name; };
    if (std::none_of(pod.role.env.begin(), pod.role.env.end(), is_it))
      pod.variables.push_back(map({{"name", text(name)}, {"value", text(value)}}));
  }
}

// Whether a value has one of the table of points, and so is only known behind it.
bool names_point(const PodDraft& pod, const contract::Pieces& pieces) {
  return std::any_of(pieces.begin(), pieces.end(), [&](const contract::Piece& piece) {
    return std::find(pod.of_points.begin(), pod.of_points.end(), piece.variable) != pod.of_points.end();
  });
}

// The variable of the operator that a part of the contract is, and nothing else; "": it is another text.
std::string given_for(const PodDraft& pod, const contract::Piece& piece) {
  const auto is_it = [&](const contract::Variable& variable) { return variable.name == piece.variable; };
  const auto found = std::find_if(pod.exports.begin(), pod.exports.end(), is_it);
  const std::string word = found == pod.exports.end() ? "" : found->word;
  if (!word.starts_with("\"$") || !word.ends_with('"')) return {};
  std::string name = word.substr(2, word.size() - 3);
  return operator_name(pod.options.run.givers, name) != nullptr ? std::move(name) : std::string();
}

// An item of `env` that takes what the operator gives by itself: from a field of the pod, or from what it puts in front
// of `env`, as in "http://$(LWS_LEADER_ADDRESS)". Nothing where something else is in it.
Node given_item(const PodDraft& pod, const std::string& name, const contract::Pieces& pieces) {
  std::string out;
  for (const contract::Piece& piece : pieces) {
    if (!piece.is_variable()) {
      out += expandable(piece.bytes);
      continue;
    }
    const std::string given = given_for(pod, piece);
    const OperatorName* row = operator_name(pod.options.run.givers, given);
    const std::string_view field = field_of_name(given);
    if (pieces.size() == 1 && !field.empty()) return field_variable(name, field);
    if (given.empty() || !row->in_front) return nothing();
    out += "$(" + given + ")";
  }
  return map({{"name", text(name)}, {"value", text(out)}});
}

// Whether the operator sets the variable with the value that the process is to find: of one process on each node.
bool is_of_operator(const PodDraft& pod, std::string_view name) {
  if (pod.options.run.operator_sets_rank && name == "RANK") return true;
  return pod.shape.processes == 1 && pod.runner() == model::Runner::processes &&
         operator_name(pod.options.run.givers, name) != nullptr;
}

}  // namespace

void add_contract(PodDraft& pod) {
  pod.variables.push_back(field_variable("MUSTER_NODE_ADDR", "status.podIP"));
  for (const Node& variable : pod.options.run.env) pod.variables.push_back(variable);
  pod.offered = pod.variables.size();
  pod.names = names_of(pod);
  const contract::Run run{pod.workload, pod.role, pod.shape, pod.names};
  for (const auto part : {contract::identity, contract::copies, contract::nodes, contract::amounts, contract::head,
                          contract::folders, contract::hostfile, contract::peers})
    add(pod, part(run));
  add(pod, contract::checkpoint(run, pod));
  for (const model::Port& port : pod.role.ports)
    if (const auto variable = contract::port(port, pod)) pod.exports.push_back(*variable);
  // What a bare `torchrun train.py` reads, where no operator sets it.
  const bool torchrun = pod.runner() == model::Runner::torchrun;
  if (torchrun && !pod.options.run.operator_sets_launcher && pod.shape.nodes == 1)
    add(pod, contract::torchrun_alone(run));
  else if (!torchrun || !pod.options.run.operator_sets_launcher) {
    for (contract::Variables part :
         {contract::launcher_counts(run), contract::launcher_rank(run), contract::launcher_address(run)}) {
      std::erase_if(part, [&](const contract::Variable& variable) { return is_of_operator(pod, variable.name); });
      add(pod, part);
    }
  }
  add(pod, contract::launcher_stop(run, seconds_to_stop(pod)));
  write_hostfiles(pod);
  add_points(pod);
  const auto reads = contract::names_of_systems(pod.draft.plan, pod.shape);
  if (std::any_of(reads.begin(), reads.end(), needs_tmp)) pod.exports.push_back({"TMPDIR", std::string(scratch_dir)});
  add_slurm_names(pod, reads);
  contract::refuse_ungiven(
      pod, reads, [&](std::string_view name) { return is_given(pod, name); }, "pods", pod.draft.options.sources);
  refuse_joined_nodes(pod);
}

contract::Pieces pieces_of(const PodDraft& pod, const model::Text& text) {
  return contract::pieces_of({pod.workload, pod.role, pod.shape, pod.names}, text);
}

void add_environment(PodDraft& pod) {
  Exports behind_points(pod.prelude);
  for (const model::EnvVar& variable : pod.role.env) {
    const std::string why = contract::fault_of_variable(variable.name, variable.value.bytes, contract::Shell::posix);
    if (!why.empty()) {
      pod.refuse_as(Code::name_not_valid, variable.span, {model::Field::env, variable.name},
                    "`" + variable.name + "` " + why);
      continue;
    }
    if (variable.from_axis()) continue;                             // the table of points has it
    if (says_the_same(pod.options.run.givers, variable)) continue;  // the operator sets it
    const contract::Pieces pieces = pieces_of(pod, variable.value);
    Node given = contract::has_variables(pieces) ? given_item(pod, variable.name, pieces) : nothing();
    if (given.is_map()) pod.variables.push_back(std::move(given));
    else if (names_point(pod, pieces)) behind_points.add(variable.name, contract::quoted(pieces));
    else if (contract::has_variables(pieces)) pod.exports.push_back({variable.name, contract::quoted(pieces)});
    else
      pod.variables.push_back(
          map({{"name", text(variable.name)}, {"value", text(expandable(contract::bytes_of(pieces)))}}));
  }
  add_home(pod);
  pod.exact(model::Field::env, "env");
}

}  // namespace muster::targets::kubernetes

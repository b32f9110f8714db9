// The run-time contract as lines of sh, and the user's environment.
#include <algorithm>

#include "targets/exports.h"
#include "targets/kubernetes/pod_draft.h"
#include "targets/lookup.h"
#include "targets/shell.h"

namespace muster::targets::pods {
namespace {

constexpr std::string_view rendezvous_port = "29500";
// In the node's own network the runs of a node must not meet: ten ports each, by the object's uid, the same in all
// pods.
constexpr std::string_view port_of_the_run =
    "\"$((10000 + 10 * ($(printf %s \"$MUSTER_ID\" | cksum | cut -d ' ' -f 1) % 2000)))\"";

std::string or_else(const std::string& word, std::string_view otherwise) {
  return word.empty() ? std::string(otherwise) : word;
}

void add_numbers(PodDraft& pod, Exports& exports) {
  const plan::RolePlan& shape = pod.shape;
  const std::string nodes = or_else(pod.options.run.nodes, std::to_string(shape.nodes));
  exports.add("MUSTER_NODES", nodes);
  exports.add("MUSTER_NODE_RANK", pod.options.run.rank);
  exports.add("MUSTER_GPUS_PER_NODE", std::to_string(shape.gpus));
  // Where nobody says, what the node has.
  exports.add("MUSTER_CPUS", shape.cpus ? std::to_string(*shape.cpus) : "\"$(nproc)\"");
  exports.add("MUSTER_MEMORY_MB",
              shape.memory ? std::to_string(shape.memory->mebibytes_up())
                           : "\"$(($(sed -n 's/^MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo) / 1024))\"");
  exports.add("MUSTER_PROCS_PER_NODE", std::to_string(shape.processes));
  const bool fixed = pod.options.run.nodes.empty();
  exports.add("MUSTER_WORLD_SIZE", fixed ? std::to_string(shape.nodes * shape.processes)
                                         : "\"$((" + nodes + " * " + std::to_string(shape.processes) + "))\"");
}

void add_addresses(PodDraft& pod, Exports& exports) {
  exports.add("MUSTER_HEAD_ADDR", or_else(pod.options.run.head, "\"$MUSTER_NODE_ADDR\""));
  exports.add("MUSTER_PORT", uses_host_network(pod) ? port_of_the_run : rendezvous_port);
  exports.add("MUSTER_DIR", muster_dir);
  exports.add("MUSTER_TMP", scratch_dir);
  exports.add("MUSTER_HOSTFILE", std::string(scratch_dir) + "/hosts");
  for (const RoleAddress& other : pod.options.others) {
    exports.add(contract_name("MUSTER_ADDR_", other.role), other.head);
    exports.add(contract_name("MUSTER_HOSTS_", other.role), std::string(scratch_dir) + "/hosts." + other.role);
  }
  const auto& checkpoint = pod.workload.checkpoint;
  if (checkpoint && checkpoint->path && has_nul(checkpoint->path->value))
    pod.refuse("checkpoint.path", "a NUL byte, which no environment can carry");
  else if (checkpoint && checkpoint->path) exports.add("MUSTER_CHECKPOINT", sh_text(checkpoint->path->value));
  for (const model::Port& port : pod.role.ports)
    if (const std::string name = contract_name("MUSTER_PORT_", port.name); is_env_name(name))
      exports.add(name, std::to_string(port.number.value));
}

void write_hostfiles(PodDraft& pod) {
  const std::string hosts = or_else(pod.options.run.hosts, "echo \"$MUSTER_HEAD_ADDR\"");
  pod.line("{ " + hosts + "; } | sed 's/$/ slots=" + std::to_string(pod.shape.processes) + "/' > \"$MUSTER_HOSTFILE\"");
  for (const RoleAddress& other : pod.options.others)
    pod.line("{ " + other.hosts + "; } > \"$" + contract_name("MUSTER_HOSTS_", other.role) + "\"");
}

// What a bare `torchrun train.py` reads, where no operator sets it.
void add_launcher_names(PodDraft& pod, Exports& exports) {
  if (pod.runner() == model::Runner::torchrun && !pod.options.run.operator_sets_launcher) {
    exports.add("PET_NNODES", "\"$MUSTER_NODES\"");
    exports.add("PET_NPROC_PER_NODE", "\"$MUSTER_PROCS_PER_NODE\"");
    exports.add("PET_NODE_RANK", "\"$MUSTER_NODE_RANK\"");
    exports.add("PET_MASTER_ADDR", "\"$MUSTER_HEAD_ADDR\"");
    exports.add("PET_MASTER_PORT", "\"$MUSTER_PORT\"");
  } else if (pod.runner() == model::Runner::processes) {
    exports.add("WORLD_SIZE", "\"$MUSTER_WORLD_SIZE\"");
    exports.add("MASTER_ADDR", "\"$MUSTER_HEAD_ADDR\"");
    exports.add("MASTER_PORT", "\"$MUSTER_PORT\"");
  }
}

// One line a point: its id, and the axes that the program reads.
void add_points(PodDraft& pod) {
  if (!pod.workload.sweep || pod.options.run.point.empty()) return;
  const model::Sweep& sweep = *pod.workload.sweep;
  const auto ids = sweep.ids();
  for (const model::Axis& axis : sweep.axes)
    for (const std::string& value : axis.values)
      if (has_nul(value)) return pod.refuse("sweep.axes", "a value holds a NUL byte, which no environment can carry");
  pod.line("case " + pod.options.run.point + " in");
  for (std::size_t point = 0; point < sweep.points(); ++point) {
    std::string line = "  " + std::to_string(point) + ") export MUSTER_POINT=" +
                       std::to_string(ids ? (*ids)[point] : static_cast<std::int64_t>(point));
    for (const model::EnvVar& variable : pod.role.env)
      for (std::size_t axis = 0; variable.from_axis && axis < sweep.axes.size(); ++axis)
        if (sweep.axes[axis].name == variable.value)
          line += " " + variable.name + "=" + sh_text(sweep.value(axis, point));
    pod.line(line + " ;;");
  }
  pod.line("esac");
  pod.line("export MUSTER_POINTS=" + std::to_string(sweep.points()));
}

// The names of Slurm that scripts read (model.md section 3), from the contract's.
void add_slurm_names(PodDraft& pod) {
  if (pod.role.launch.compat.value != model::Compat::slurm) return;
  const std::pair<const char*, const char*> names[] = {{"JOB_ID", "MUSTER_ID"},
                                                       {"JOBID", "MUSTER_ID"},
                                                       {"JOB_NAME", "MUSTER_NAME"},
                                                       {"SUBMIT_DIR", "PWD"},
                                                       {"NNODES", "MUSTER_NODES"},
                                                       {"JOB_NUM_NODES", "MUSTER_NODES"},
                                                       {"NODEID", "MUSTER_NODE_RANK"},
                                                       {"PROCID", "MUSTER_NODE_RANK"},
                                                       {"NTASKS", "MUSTER_WORLD_SIZE"},
                                                       {"NPROCS", "MUSTER_WORLD_SIZE"},
                                                       {"NTASKS_PER_NODE", "MUSTER_PROCS_PER_NODE"},
                                                       {"TASKS_PER_NODE", "MUSTER_PROCS_PER_NODE"},
                                                       {"CPUS_ON_NODE", "MUSTER_CPUS"},
                                                       {"GPUS_ON_NODE", "MUSTER_GPUS_PER_NODE"},
                                                       {"GPUS_PER_NODE", "MUSTER_GPUS_PER_NODE"},
                                                       {"TMPDIR", "MUSTER_TMP"},
                                                       {"RESTART_COUNT", "MUSTER_ATTEMPT"}};
  {
    Exports exports(pod.prelude);
    for (const auto& [slurm, ours] : names)
      exports.add("SLURM_" + std::string(slurm), "\"$" + std::string(ours) + "\"");
    exports.add("SLURM_LOCALID", "0");
    exports.add("SLURM_CPUS_PER_TASK", "\"$((MUSTER_CPUS / MUSTER_PROCS_PER_NODE))\"");
    if (pod.workload.sweep) {
      exports.add("SLURM_ARRAY_TASK_ID", "\"$MUSTER_POINT\"");
      exports.add("SLURM_ARRAY_JOB_ID", "\"$MUSTER_ID\"");
      exports.add("SLURM_ARRAY_TASK_COUNT", "\"$MUSTER_POINTS\"");
    }
  }
  pod.line(
      "SLURM_JOB_NODELIST=$(sed 's/ .*//' \"$MUSTER_HOSTFILE\" | paste -sd, -); SLURM_NODELIST=$SLURM_JOB_NODELIST");
  pod.line("export SLURM_JOB_NODELIST SLURM_NODELIST");
}

// Why a variable cannot be given; "" where it can.
std::string fault_of(const std::string& name, const std::string& value) {
  if (!is_env_name(name)) return "is no name that a shell can export";
  if (has_nul(value)) return "holds a NUL byte, which no environment can carry";
  if (value.size() + name.size() + 1 >= 128 * 1024) return "holds more than 128 KiB, the kernel's limit";
  return {};
}

}  // namespace

void add_contract(PodDraft& pod) {
  pod.line("# What the program finds on every target; it takes this shell's place.");
  pod.line("set -e");
  pod.variables.push_back(field_variable("MUSTER_NODE_ADDR", "status.podIP"));
  for (const Node& variable : pod.options.run.env) pod.variables.push_back(variable);
  {
    Exports exports(pod.prelude);
    exports.add("MUSTER_NAME", sh_text(pod.workload.name));
    exports.add("MUSTER_ROLE", sh_text(pod.role.name));
    exports.add("MUSTER_ID", or_else(pod.options.run.id, pod.draft.name_word()));
    exports.add("MUSTER_ATTEMPT", pod.options.run.attempt);
    exports.add("MUSTER_REPLICA", pod.options.run.replica);
    exports.add("MUSTER_REPLICAS", std::to_string(std::max<std::int64_t>(pod.role.copies(), 1)));
    add_numbers(pod, exports);
    exports.end();  // what follows names what stands above
    add_addresses(pod, exports);
    exports.end();
    add_launcher_names(pod, exports);
  }
  write_hostfiles(pod);
  add_points(pod);
  add_slurm_names(pod);
}

void add_environment(PodDraft& pod) {
  for (const model::EnvVar& variable : pod.role.env) {
    if (const std::string why = fault_of(variable.name, variable.value); !why.empty()) {
      pod.refuse_as(Code::name_not_valid, variable.span, "env." + variable.name, "`" + variable.name + "` " + why);
      continue;
    }
    if (variable.from_axis) continue;  // the table of points has it
    pod.variables.push_back(map({{"name", text(variable.name)}, {"value", text(expandable(variable.value))}}));
  }
  pod.exact("env", "env");
}

}  // namespace muster::targets::pods

// What starts programs on the nodes of a job: pbsdsh, which hands on no environment and exits with 0 whatever its tasks
// do, so that functions of the script bring both; of MPI mpirun, which does so itself.
#include <algorithm>
#include <array>

#include "compiler/model/runner.h"
#include "targets/pbs/sections.h"
#include "targets/shell.h"

namespace muster::targets::pbs {
namespace {

using batch::On;

bool names(std::string_view body, std::string_view word) { return body.find(word) != body.npos; }

// What a node has for itself, so that the values of the first one are not taken there. One that the script sets is its
// own.
std::string of_a_node(std::string_view body) {
  constexpr std::array all = std::to_array<std::string_view>(
      {"PBS_NODENUM", "PBS_TASKNUM", "PBS_VNODENUM", "HOSTNAME", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"});
  std::string out;
  for (const std::string_view name : all)
    if (!names(body, std::string(name) + "=")) out += " " + std::string(name);
  return out;
}

// A folder that all nodes see, and only the user: the environment of the script, which no command line should show, and
// the exit code of the task that fails first.
std::string head_of(const Job& job, std::string_view name, std::string_view body) {
  const std::string folder = job.site.job_dir ? sh_word(job.site.job_dir->value) : "\"$PBS_O_WORKDIR\"";
  return "# shellcheck disable=SC2016  # expanded on each node\n" + std::string(name) + "() (\n  tasks=$(mktemp -d " +
         folder + "/.tasks.XXXXXX) && trap 'rm -rf \"$tasks\"' EXIT\n  (unset" + of_a_node(body) +
         "; export -p) > \"$tasks/environment\"\n";
}

// The first that fails is the end; the job then ends, and with it the others.
constexpr std::string_view end_of_tasks =
    "  while kill -0 \"${pids[@]}\" 2>/dev/null && [ ! -s \"$tasks/failed\" ]; do sleep 1; done\n"
    "  [ ! -s \"$tasks/failed\" ] || exit \"$(cat \"$tasks/failed\")\"\n"
    "  for pid in \"${pids[@]}\"; do wait \"$pid\" || exit; done\n)\n";

constexpr std::string_view why = "pbsdsh hands on no environment, and exits with 0 whatever its tasks do.\n";

std::string each_node(const Job& job, std::string_view body) {
  return "# Runs a command once a node. " + std::string(why) + head_of(job, "each_node", body) + "  pbsdsh " +
         (is_torque(job) ? "-u " : "") +
         "-- bash -c 'source \"$0/environment\"; cd \"$PWD\" && \"$@\" || echo \"$?\" > \"$0/failed\"' \\\n"
         "    \"$tasks\" \"$@\" & pids=(\"$!\")\n" +
         std::string(end_of_tasks);
}

// The number of a node is that in its part.
std::string on_nodes(const Job& job, std::string_view body) {
  const bool torque = is_torque(job);
  return "# Runs a command on nodes of the job: the first, how many, the command.\n# " + std::string(why) +
         head_of(job, "on_nodes", body) + (torque ? "  mapfile -t hosts < <(uniq \"$PBS_NODEFILE\")\n" : "") +
         "  pids=()\n  for ((i = 0; i < $2; i++)); do\n    pbsdsh " +
         (torque ? "-h \"${hosts[$1 + i]}\"" : "-n \"$(($1 + i))\"") +
         " -- bash -c 'source \"$0/environment\"; export PBS_NODENUM=\"$1\"\n"
         "      cd \"$PWD\" && \"${@:2}\" || echo \"$?\" > \"$0/failed\"' \"$tasks\" \"$i\" \"${@:3}\" &\n"
         "    pids+=(\"$!\")\n  done\n" +
         std::string(end_of_tasks);
}

// The codes come by a pipe of their own: bash may forget a process that ended before it was waited for.
std::string each_process() {
  const model::RunnerVariables& ranks = model::row_of(model::Runner::processes).variables;
  return "# Starts a command so often on a node, and ends with the exit code of the first that fails.\n"
         "# shellcheck disable=SC2016  # expanded on each node\n"
         "each_process='exec 3>&1\n"
         "while read -r code; do [ \"$code\" = 0 ] || exit \"$code\"; done < <(\n"
         "for ((i = 0; i < $0; i++)); do (" +
         std::string(ranks.process_rank) + "=$((PBS_NODENUM * $0 + i)) " + std::string(ranks.local_rank) +
         "=$i \"$@\" >&3 3>&-; echo \"$?\") & done)'\n";
}

std::string mpirun(std::int64_t nodes, std::int64_t each) {
  return "mpirun -np " + std::to_string(nodes * each) + " --map-by ppr:" + std::to_string(each) + ":node";
}

}  // namespace

std::string step(const Job& job, const batch::Step& step) {
  const std::string nodes = std::to_string(step.nodes);
  std::string out;
  if (step.on == On::head) return {};  // where the script itself runs
  if (step.on == On::others) out = "on_nodes 1 " + nodes;
  else if (job.part.is_part()) out = "on_nodes" + job.part.step + " " + nodes;
  else if (job.runner() == model::Runner::mpi) return mpirun(step.nodes, step.tasks);
  else if (step.nodes > 1) out = "each_node";
  if (step.tasks < 2) return out;
  return out + (out.empty() ? "" : " ") + "bash -c \"$each_process\" " + std::to_string(step.tasks);
}

std::string part_options(const Job&, const batch::PartPlace& place) {
  return place.is_expression ? " $((" + place.first + "))" : " " + place.first;
}

std::string parallel_step(const Job&, const std::string& part) { return "on_nodes" + part + " 1"; }

std::string on_each_node(const Job& job, const std::string& command) {
  const bool mpi = job.runner() == model::Runner::mpi && !batch::has_parts(job.plan);
  return (mpi ? mpirun(job.shape.nodes, 1) : "each_node") + " " + command;
}

std::string prelude(const Job& job, std::string_view body) {
  std::string out;
  if (names(body, "each_node ")) out += each_node(job, body);
  if (names(body, "on_nodes ")) out += on_nodes(job, body);
  if (names(body, "$each_process")) out += each_process();
  return out;
}

void add_preflight(Job& job) {
  if (!job.role.preflight) return;
  const std::string on_all = step(job, {job.shape.nodes * job.part.copies_of_step, 1, On::all, false});
  const std::string starter = on_all + (on_all.empty() ? "" : " ");
  if (job.role.preflight->gpu_health) batch::add_gpu_check(job, starter);
  else job.read(Field::preflight_gpu_health, "no check");
  if (!job.role.preflight->nccl) return job.read(Field::preflight_nccl, "no check");
  job.refuse(Field::preflight_nccl, "a PBS job has no means of its own to start the ranks of the NCCL test",
             "remove `nccl`, or run the test as a workload with `launch { runner = mpi }`");
}

}  // namespace muster::targets::pbs

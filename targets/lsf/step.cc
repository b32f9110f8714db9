// What starts programs on the nodes of a job: blaunch, which hands on the environment of the script; of MPI mpirun,
// which reads the hosts of the job itself.
#include "compiler/model/runner.h"
#include "targets/lsf/sections.h"

namespace muster::targets::lsf {
namespace {

using batch::On;

bool names(std::string_view body, std::string_view word) { return body.find(word) != body.npos; }

// One blaunch for each task: one for several hosts has one exit code, and lets the others go on when a task fails.
std::string starter(std::string_view name, const std::string& count, const std::string& variables,
                    const std::string& host, int first_word) {
  return std::string(name) + "() (\n  mapfile -t hosts < <(uniq \"$LSB_DJOB_HOSTFILE\")\n" +
         "  pids=()\n  trap 'kill \"${pids[@]}\" 2>/dev/null || :' EXIT\n  for ((i = 0; i < " + count +
         "; i++)); do\n    " + variables + "blaunch -no-shell \"${hosts[" + host +
         "]}\" \"${@:" + std::to_string(first_word) +
         "}\" & pids+=(\"$!\")\n  done\n  for _ in \"${pids[@]}\"; do wait -n || exit; done\n)\n";
}

std::string on_nodes() {
  return "# Runs a command on nodes of the job: the first, how many, the command. The first that fails ends all.\n" +
         starter("on_nodes", "$2", "node_rank=$i ", "$1 + i", 3);
}

std::string on_slots() {
  const model::RunnerVariables& ranks = model::row_of(model::Runner::processes).variables;
  return "# Starts processes on nodes of the job: the first, how many, how often on each, the command.\n" +
         starter("on_slots", "$2 * $3",
                 "node_rank=$((i / $3)) " + std::string(ranks.process_rank) + "=$i " + std::string(ranks.local_rank) +
                     "=$((i % $3)) \\\n      ",
                 "$1 + i / $3", 4);
}

}  // namespace

std::string step(const Job& job, const batch::Step& step) {
  const std::string nodes = std::to_string(step.nodes), each = std::to_string(step.tasks);
  const bool part = job.part.is_part();
  if (step.on == On::head) return {};  // where the script itself runs
  if (step.on == On::others) return "on_nodes 1 " + nodes;
  if (job.runner() == model::Runner::mpi && !part)
    return "mpirun -np " + std::to_string(step.nodes * step.tasks) + " --map-by ppr:" + each + ":node";
  const std::string first = part ? job.part.step : " 0";
  if (step.tasks > 1) return "on_slots" + first + " " + nodes + " " + each;
  return part || step.nodes > 1 ? "on_nodes" + first + " " + nodes : "";
}

std::string part_options(const Job&, const batch::PartPlace& place) {
  return place.is_expression ? " $((" + place.first + "))" : " " + place.first;
}

std::string parallel_step(const Job&, const std::string& part) { return "on_nodes" + part + " 1"; }

std::string on_each_node(const Job& job, const std::string& command) {
  std::int64_t nodes = job.shape.nodes;
  return "on_nodes 0 " + std::to_string(nodes) + " " + command;
}

std::string prelude(const Job&, std::string_view body) {
  std::string out;
  if (names(body, "on_nodes ")) out += on_nodes();
  if (names(body, "on_slots ")) out += on_slots();
  return out;
}

void add_preflight(Job& job) {
  if (!job.role.preflight) return;
  const std::int64_t nodes = job.shape.nodes * job.part.copies_of_step;
  std::string starter = job.part.is_part() ? "on_nodes" + job.part.step + " " + std::to_string(nodes) + " "
                        : nodes > 1        ? "on_nodes 0 " + std::to_string(nodes) + " "
                                           : "";
  if (job.role.preflight->gpu_health) batch::add_gpu_check(job, starter);
  else job.read(Field::preflight_gpu_health, "no check");
  if (!job.role.preflight->nccl) return job.read(Field::preflight_nccl, "no check");
  job.refuse(Field::preflight_nccl, "an LSF job has no means of its own to start the ranks of the NCCL test",
             "remove `nccl`, or run the test as a workload with `launch { runner = mpi }`");
}

}  // namespace muster::targets::lsf

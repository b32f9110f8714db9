// LSF as a dialect of a batch system.
#include <array>
#include <cstdio>

#include "targets/batch/batch.h"
#include "targets/batch/sections.h"
#include "targets/lsf/lsf.h"
#include "targets/lsf/sections.h"
#include "targets/shell.h"

namespace muster::targets::lsf {
namespace {

using batch::Request;

constexpr std::array spellings = std::to_array<batch::Spelling>({
    {Request::name, "-J"},
    {Request::account, "-P"},
    {Request::queue, "-q"},
    {Request::reservation, "-U"},
    {Request::priority, "-sp"},
    {Request::time, "-W"},
    {Request::array, "-J"},
    {Request::output, "-o"},
    {Request::error, "-e"},
});

// Hours and minutes: 72:00.
std::string run_limit(Duration limit) {
  const std::int64_t minutes = (limit.seconds_up() + 59) / 60;
  char rest[8];
  std::snprintf(rest, sizeof rest, ":%02d", static_cast<int>(minutes % 60));
  return std::to_string(minutes / 60) + rest;
}

// What follows the name of the job: "[1-3,7]%2", "[1-19:2]".
std::string index_list(std::span<const std::int64_t> ids, std::optional<std::int64_t> at_once) {
  std::string out;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t last = i;
    const std::int64_t by = i + 1 < ids.size() ? ids[i + 1] - ids[i] : 1;
    while (last + 1 < ids.size() && ids[last + 1] == ids[last] + by) ++last;
    if (by > 1 && last < i + 2) last = i;  // two alone are no range
    out += (out.empty() ? "[" : ",") + std::to_string(ids[i]);
    if (last > i) out += "-" + std::to_string(ids[last]) + (by > 1 ? ":" + std::to_string(by) : "");
    i = last + 1;
  }
  return out + "]" + (at_once ? "%" + std::to_string(*at_once) : "");
}

std::optional<std::string> no_pattern(std::string_view, std::string_view) { return std::nullopt; }
std::string no_component(std::size_t) { return {}; }
// No option keeps bsub from reading lines of the body.
std::vector<std::string> guards(std::string_view) { return {}; }

// bsub says `Job <7> is submitted to queue <gpu>.`
std::string submit(const std::string& variable, std::string_view file, const std::string& after) {
  return variable + "=$(bsub " + (after.empty() ? "" : "-w \"" + after + "\" ") + "< " + sh_word(file) +
         " | sed -n 's/^Job <\\([0-9]*\\)>.*/\\1/p')\n: \"${" + variable + ":?bsub did not submit it}\"\n";
}

constexpr batch::Dialect usual = {
    .system = "LSF",
    .target = "lsf",
    .ray_target = "lsf",
    .plane = model::PlaneKind::lsf,
    .command = "bsub <",
    .starter = "blaunch",
    .extension = "lsf",
    .sentinel = "#BSUB ",
    .queue_word = "queue",
    .after_term = "JOB_TERMINATE_INTERVAL",
    .end_signal = "USR2",
    .no_warning = "sends its warning to all processes of a job, the shell of the script too",
    .chain_option = "-w",
    .time_step = 60,
    .first_task = 1,
    .reads_whole_file = true,
    .names_features = false,
    .divides_nodes = false,
    .forks_processes = true,
    .gives_slurm_names = false,
    .spellings = spellings,
    .variables = {.prefix = "LS",
                  .job_id = "$LSB_JOBID",
                  .job_number = "LSB_JOBID",
                  .array_id = "$LSB_JOBID",
                  .array_index = "$LSB_JOBINDEX",
                  .restarts = "",
                  .submit_dir = "$LS_SUBCWD",
                  .submit_host = "$LSB_SUB_HOST",
                  .hosts = "uniq \"$LSB_DJOB_HOSTFILE\"",
                  .node_name = "$(hostname)",
                  .named_by_list = true,
                  .node_rank = "$node_rank",
                  .process_rank = "$node_rank",
                  .local_rank = "0",
                  .cpus = "$LSB_DJOB_NUMPROC",
                  .memory = "0"},
    .restart = {.again = "-r",
                .once = "-rn",
                .log_mode = "",
                .append = "",
                .truncate = "",
                .command = "",
                .id = "",
                .running = "",
                .on_exit = "-Q",
                .any_failure = "all ~0",
                .adds_to_logs = true},
    .add_option = add_option,
    .add_flag = add_flag,
    .time = run_limit,
    .array = index_list,
    .log_file = no_pattern,
    .add_logs = add_logs,
    .ask_size = ask_size,
    .ask_warning = nullptr,
    .ask_notices = ask_notices,
    .ask_nodes = ask_nodes,
    .ask_own = ask_own,
    .guards = guards,
    .prelude = prelude,
    .step = step,
    .part_options = part_options,
    .parallel_step = parallel_step,
    .on_each_node = on_each_node,
    .preflight = add_preflight,
    .enter = "ssh -t $(hostname)",
    .next_component = "",
    .component_hosts = no_component,
    .chain = {"done", "ended", "exit", "started", "(", ")", " && "},
    .submit = submit,
};

// Tasks of an array have one id, LSF counts the slots of all nodes, and mpirun tells its ranks what they are.
batch::Dialect dialect_of(const plan::Plan& plan, std::string& cpus) {
  batch::Dialect out = usual;
  if (plan.roles.empty() || plan.roles.front().role == nullptr) return out;
  std::int64_t nodes = 0;
  for (const plan::RolePlan& role : plan.roles) nodes += role.total();
  cpus = "$((LSB_DJOB_NUMPROC / " + std::to_string(nodes) + "))";
  if (nodes > 1) out.variables.cpus = cpus;
  const model::Role& role = *plan.roles.front().role;
  const model::Workload& work = *plan.workload;
  if (work.sweep || (work.starts() != model::Gang::all && plan::demand_of(work, role).written > 1)) {
    out.variables.job_id = "$LSB_JOBID.$LSB_JOBINDEX";
    out.variables.job_number = "(LSB_JOBID + LSB_JOBINDEX)";
  }
  if (role.launch.runner.value == model::Runner::mpi) {
    out.variables.node_rank = "$((OMPI_COMM_WORLD_RANK / OMPI_COMM_WORLD_LOCAL_SIZE))";
    out.variables.process_rank = "$OMPI_COMM_WORLD_RANK";
    out.variables.local_rank = "$OMPI_COMM_WORLD_LOCAL_RANK";
  }
  return out;
}

}  // namespace

Lowered lower_lsf(const Target& target, const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics) {
  std::string cpus;
  return batch::lower(dialect_of(plan, cpus), {target.name}, plan, options, diagnostics);
}

std::optional<Document> submit_script(std::span<const Submission> submissions, Diagnostics& diagnostics) {
  return batch::submit_script(usual, submissions, diagnostics);
}

}  // namespace muster::targets::lsf

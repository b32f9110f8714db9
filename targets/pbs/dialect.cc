// PBS as a dialect of a batch system: OpenPBS and, where the plane says so, Torque.
#include <array>
#include <cstdio>

#include "targets/batch/batch.h"
#include "targets/pbs/pbs.h"
#include "targets/pbs/sections.h"
#include "targets/shell.h"

namespace muster::targets::pbs {
namespace {

using batch::Request;

constexpr std::array openpbs_spellings = std::to_array<batch::Spelling>({
    {Request::name, "-N"},
    {Request::account, "-A"},
    {Request::queue, "-q"},
    {Request::priority, "-p"},
    {Request::time, "-l walltime"},
    {Request::array, "-J"},
    {Request::output, "-o"},
    {Request::error, "-e"},
});
constexpr std::array torque_spellings = std::to_array<batch::Spelling>({
    {Request::name, "-N"},
    {Request::account, "-A"},
    {Request::queue, "-q"},
    {Request::priority, "-p"},
    {Request::time, "-l walltime"},
    {Request::array, "-t"},
    {Request::output, "-o"},
    {Request::error, "-e"},
});

// Days as hours: 72:00:00.
std::string walltime(Duration limit) {
  const std::int64_t seconds = limit.seconds_up();
  char rest[16];
  std::snprintf(rest, sizeof rest, ":%02d:%02d", static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60));
  return (seconds < 36000 ? "0" : "") + std::to_string(seconds / 3600) + rest;
}

std::string limited(std::string ids, std::optional<std::int64_t> at_once) {
  return at_once ? ids + "%" + std::to_string(*at_once) : ids;
}

// One range; "": these are none. It has an end above its start, so that one task is 0-1 in steps of 2.
std::string one_range(std::span<const std::int64_t> ids, std::optional<std::int64_t> at_once) {
  if (ids.empty()) return {};
  if (ids.size() == 1) return limited(std::to_string(ids[0]) + "-" + std::to_string(ids[0] + 1) + ":2", at_once);
  const std::int64_t by = ids[1] - ids[0];
  for (std::size_t i = 1; i < ids.size(); ++i)
    if (ids[i] - ids[i - 1] != by) return {};
  const std::string range = std::to_string(ids.front()) + "-" + std::to_string(ids.back());
  return limited(by == 1 ? range : range + ":" + std::to_string(by), at_once);
}

// A list of numbers and runs of them, without steps.
std::string torque_list(std::span<const std::int64_t> ids, std::optional<std::int64_t> at_once) {
  std::string out;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t last = i;
    while (last + 1 < ids.size() && ids[last + 1] == ids[last] + 1) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(ids[i]) + (last > i ? "-" + std::to_string(ids[last]) : "");
    i = last + 1;
  }
  return limited(out, at_once);
}

std::optional<std::string> no_pattern(std::string_view, std::string_view) { return std::nullopt; }
std::string no_component(std::size_t) { return {}; }
// qsub reads no directive behind the first command.
std::vector<std::string> guards(std::string_view) { return {}; }

std::string submit(const std::string& variable, std::string_view file, const std::string& after) {
  return variable + "=$(qsub " + (after.empty() ? "" : "-W \"depend=" + after + "\" ") + sh_word(file) + ")\n";
}

constexpr batch::Dialect openpbs = {
    .system = "PBS",
    .target = "pbs",
    .ray_target = "pbs",
    .plane = model::PlaneKind::pbs,
    .command = "qsub",
    .starter = "pbsdsh",
    .extension = "pbs",
    .sentinel = "#PBS ",
    .queue_word = "queue",
    .after_term = "kill_delay",
    .chain_option = "-W depend",
    .starts_at_home = true,
    .names_features = false,
    .unlike_parts = true,
    .divides_nodes = false,
    .forks_processes = true,
    .gives_slurm_names = false,
    .returns_output = false,
    .spellings = openpbs_spellings,
    .variables = {.prefix = "PBS",
                  .job_id = "$PBS_JOBID",
                  .job_number = "${PBS_JOBID%%[.[]*}",
                  .array_id = "${PBS_JOBID%%[.[]*}",
                  .array_index = "$PBS_ARRAY_INDEX",
                  .restarts = "",
                  .submit_dir = "$PBS_O_WORKDIR",
                  .submit_host = "$PBS_O_HOST",
                  .hosts = "uniq \"$PBS_NODEFILE\"",
                  .node_name = "$(hostname)",
                  .named_by_list = true,
                  .node_rank = "$PBS_NODENUM",
                  .process_rank = "$PBS_NODENUM",
                  .local_rank = "0",
                  .cpus = "$NCPUS",
                  .memory = "0"},
    .restart = {.again = "-r y",
                .once = "-r n",
                .log_mode = "",
                .append = "",
                .truncate = "",
                .command = "",
                .id = "",
                .running = ""},
    .add_option = add_option,
    .add_flag = add_flag,
    .time = walltime,
    .array = one_range,
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
    .chain = {"afterok", "afterany", "afternotok", "after"},
    .submit = submit,
};

// What differs where the plane is a Torque.
constexpr batch::Dialect torque = [] {
  batch::Dialect out = openpbs;
  out.spellings = torque_spellings;
  out.array = torque_list;
  out.variables.array_index = "$PBS_ARRAYID";
  out.variables.cpus = "$PBS_NUM_PPN";
  return out;
}();

}  // namespace

Lowered lower_pbs(const Target& target, const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics) {
  const model::BatchPlane* batch = plan.plane != nullptr ? plan.plane->batch() : nullptr;
  const bool is_torque = batch != nullptr && batch->dialect == model::PbsDialect::torque;
  return batch::lower(is_torque ? torque : openpbs, {target.name}, plan, options, diagnostics);
}

std::optional<Document> submit_script(std::span<const Submission> submissions, Diagnostics& diagnostics) {
  return batch::submit_script(openpbs, submissions, diagnostics);
}

}  // namespace muster::targets::pbs

// Slurm as a dialect of a batch system.
#include <algorithm>
#include <array>

#include "targets/batch/batch.h"
#include "targets/contract/launch.h"
#include "targets/shell.h"
#include "targets/slurm/options.h"
#include "targets/slurm/read/meaning.h"
#include "targets/slurm/sections.h"
#include "targets/slurm/slurm.h"

namespace muster::targets::slurm {
namespace {

using batch::Request;

constexpr std::array spellings = std::to_array<batch::Spelling>({
    {Request::name, "--job-name"},
    {Request::account, "--account"},
    {Request::queue, "--partition"},
    {Request::qos, "--qos"},
    {Request::features, "--constraint"},
    {Request::reservation, "--reservation"},
    {Request::priority, "--nice"},
    {Request::time, "--time"},
    {Request::array, "--array"},
    {Request::folder, "--chdir"},
    {Request::output, "--output"},
    {Request::error, "--error"},
});

// Ascending ids as Slurm spells them: runs as `a-b`, equal steps as `a-b:s`.
std::string id_list(std::span<const std::int64_t> ids, std::optional<std::int64_t> at_once) {
  std::string out;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t last = i;
    const std::int64_t step = i + 1 < ids.size() ? ids[i + 1] - ids[i] : 1;
    while (last + 1 < ids.size() && ids[last + 1] - ids[last] == step) ++last;
    if (last - i < 2 && step != 1) last = i;  // a pair with a gap is not a run
    out += (out.empty() ? "" : ",") + std::to_string(ids[i]);
    if (last > i) out += "-" + std::to_string(ids[last]) + (step == 1 ? "" : ":" + std::to_string(step));
    i = last + 1;
  }
  return at_once ? out + "%" + std::to_string(*at_once) : out;
}

// A signal to the job's shell alone, which passes it on.
bool ask_warning(Job& job, std::int64_t seconds) {
  if (seconds > 65535) {
    job.refuse_at(job.workload.stop->lead.span, Field::stop_lead,
                  "Slurm sends a signal at most 65535 seconds before the end", "write `lead = 18h` or less");
    return false;
  }
  const std::string value = "B:USR1@" + std::to_string(seconds);
  add_option(job, "--signal", value, Field::stop_lead);
  std::string note = "Slurm may send it up to a minute early";
  for (const plan::RolePlan& role : job.plan.roles)
    if (const std::string torch = contract::torch_note(job.workload, role.role->launch.runner.value, seconds);
        !torch.empty() && note.find(torch) == std::string::npos)
      note += "; " + torch;
  if (job.batch.user_signal) note += "; the signal also comes at preemption";
  if (job.shape.nodes > 1) note += "; after a task exits with an error, the others have the site's KillWait";
  job.approximated(Field::stop_lead, "--signal=" + value, note);
  return true;
}

// Slurm's own default is all of it, unless the submitter's SBATCH_EXPORT says something else.
void add_export(Job& job) {
  const bool stated = job.role.launch.inherits.has_value();
  if (!stated && job.batch.export_all) return;
  add_option(job, "--export", job.inherits_all() ? "ALL" : "NONE", Field::launch_export);
  job.exact(Field::launch_export, job.inherits_all() ? "--export=ALL" : "--export=NONE");
}

void ask_own(Job& job) {
  add_export(job);
  add_raw_options(job);
  add_site_directives(job);
  check_raw_options(job);
  batch::check_submit_filter(job);
  check_pin(job);
}

// A line of the user's text that begins like this is read by sbatch wherever it is.
std::vector<std::string> guards(std::string_view body) {
  const bool other = body.find("\n#PBS") != std::string_view::npos || body.find("\n#BSUB") != std::string_view::npos;
  return other ? std::vector<std::string>{"--ignore-pbs"} : std::vector<std::string>{};
}

// What cpus_a_task reads.
std::string prelude(const Job&, std::string_view body) {
  if (body.find("$((cores ") == std::string_view::npos) return {};
  return R"(threads=$(scontrol show node "$SLURMD_NODENAME" | sed -n 's/.*ThreadsPerCore=\([0-9]*\).*/\1/p'))"
         "\ncores=$((SLURM_CPUS_ON_NODE / ${threads:=1}))  # a task of a step has whole ones\n";
}

std::string signal_steps(std::string_view signal) {
  return "scancel --signal=" + std::string(signal) + " \"$SLURM_JOB_ID\"";
}

std::string component_hosts(std::size_t component) {
  return "scontrol show hostnames \"$SLURM_JOB_NODELIST_HET_GROUP_" + std::to_string(component) + "\"";
}

std::string submit(const std::string& variable, std::string_view file, const std::string& after) {
  const std::string flags = after.empty() ? "" : " --dependency=\"" + after + "\" --kill-on-invalid-dep=yes";
  return variable + "=$(sbatch --parsable" + flags + " " + sh_word(file) + ")\n" + variable + "=${" + variable +
         "%%;*}\n";
}

constexpr batch::Dialect dialect = {
    .system = "Slurm",
    .target = "slurm",
    .ray_target = "ray-on-slurm",
    .plane = model::PlaneKind::slurm,
    .command = "sbatch",
    .starter = "srun",
    .extension = "sbatch",
    .sentinel = "#SBATCH ",
    .spellings = spellings,
    .variables = {.prefix = "SLURM",
                  .job_id = "$SLURM_JOB_ID",
                  .job_number = "SLURM_JOB_ID",
                  .array_id = "$SLURM_ARRAY_JOB_ID",
                  .array_index = "$SLURM_ARRAY_TASK_ID",
                  .restarts = "${SLURM_RESTART_COUNT:-0}",
                  .submit_dir = "$SLURM_SUBMIT_DIR",
                  .submit_host = "$SLURM_SUBMIT_HOST",
                  .node_count = "$SLURM_NNODES",
                  .hosts = "scontrol show hostnames \"$SLURM_JOB_NODELIST\"",
                  .node_name = "$SLURMD_NODENAME",
                  .node_rank = "$SLURM_NODEID",
                  .process_rank = "$SLURM_PROCID",
                  .local_rank = "$SLURM_LOCALID",
                  .cpus = "$SLURM_CPUS_ON_NODE",
                  .memory = "${SLURM_MEM_PER_NODE:-0}"},
    .restart = {.again = "--requeue",
                .once = "--no-requeue",
                .log_mode = "--open-mode",
                .append = "append",
                .truncate = "truncate",
                .command = "scontrol requeue",
                .id = "\"$SLURM_JOB_ID\"",
                // One line for each component or array task of the job; -t R leaves out what is cancelled.
                .running = "squeue -h -t R -j \"$SLURM_JOB_ID\" -o %A | grep -x \"$SLURM_JOB_ID\" >/dev/null",
                .preempted = "squeue -h -t R -j \"$SLURM_JOB_ID\" -O JobID,PreemptTime |\n"
                             "  grep \"^$SLURM_JOB_ID .*[0-9]\" >/dev/null"},
    .add_option = add_option,
    .add_flag = add_flag,
    .time = slurm_time,
    .array = id_list,
    .log_file = sbatch_filename,
    .ask_size = ask_size,
    .granted_cpus = granted_cpus,
    .ask_warning = ask_warning,
    .ask_notices = ask_notices,
    .ask_nodes = ask_nodes,
    .ask_own = ask_own,
    .guards = guards,
    .prelude = prelude,
    .step = step,
    .part_options = part_options,
    .program_options = program_options,
    .parallel_step = parallel_step,
    .on_each_node = on_each_node,
    .preflight = add_preflight,
    .shell_signal = "--signal=B:",
    .signal_steps = signal_steps,
    .enter = "srun --jobid=$SLURM_JOB_ID --overlap --pty",
    .next_component = "hetjob",
    .component_hosts = component_hosts,
    .chain =
        {.success = "afterok", .finish = "afterany", .failure = "afternotok", .start = "after", .each = "aftercorr"},
    .submit = submit,
};

}  // namespace

Lowered lower_slurm(const Target& target, const plan::Plan& plan, const LowerOptions& options,
                    Diagnostics& diagnostics) {
  return batch::lower(dialect, {target.name, target.capabilities.ray}, plan, options, diagnostics);
}

std::optional<Document> submit_script(std::span<const Submission> submissions, Diagnostics& diagnostics) {
  return batch::submit_script(dialect, submissions, diagnostics);
}

}  // namespace muster::targets::slurm

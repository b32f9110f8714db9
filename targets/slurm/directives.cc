#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "targets/shell.h"
#include "targets/slurm/options.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

// D-HH:MM:SS, the one spelling that cannot be misread: `1:30` would be seconds.
std::string slurm_time(Duration limit) {
  const std::int64_t s = limit.seconds_up();
  const auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return std::to_string(s / 86400) + "-" + two(s / 3600 % 24) + ":" + two(s / 60 % 60) + ":" + two(s % 60);
}

std::string mebibytes(Size size) { return std::to_string(size.mebibytes_up()) + "M"; }

void add_identity(Job& job) {
  const auto& title = job.workload.title;
  const std::string& name = title ? title->value : job.workload.name;
  add_option(job, "--job-name", job.run.empty() ? name : name + "-" + std::string(job.run), title ? "title" : "name");
  job.exact("title", "--job-name");
  if (!job.plan.account.empty()) {
    add_option(job, "--account", job.plan.account, "account");
    job.exact("account", "--account");
  }
  if (const model::Queue* queue = job.plan.queue) {
    if (!queue->plane_name.empty()) add_option(job, "--partition", queue->plane_name, "queue");
    if (queue->qos) add_option(job, "--qos", queue->qos->value, "queue");
    if (queue->constraint) add_option(job, "--constraint", queue->constraint->value, "queue");
    if (queue->reservation) add_option(job, "--reservation", queue->reservation->value, "queue");
    job.exact("queue", queue->plane_name.empty() ? "the cluster's default partition" : "--partition");
  } else if (!job.workload.queues.empty()) {
    job.refuse("queue", "site `" + job.site.name + "` has no queue `" + job.workload.queues.front().value + "`");
  }
  add_priority(job);
}

void add_cpus(Job& job) {
  const std::int64_t tasks = job.tasks();
  if (job.shape.cpus) {
    const std::int64_t each = std::max<std::int64_t>(1, *job.shape.cpus / tasks);
    add_option(job, "--cpus-per-task", std::to_string(each), "resources.cpus");
    const std::string as = "--cpus-per-task=" + std::to_string(each);
    const auto& asked = job.role.resources.cpus;
    if (asked && !asked->value.all && asked->value.low != asked->value.high)
      job.approximated("resources.cpus", as, "a Slurm job has one amount: the upper end of the range");
    else if (each * tasks == *job.shape.cpus) job.exact("resources.cpus", as);
    else
      job.approximated("resources.cpus", as,
                       std::to_string(tasks) + " tasks a node share " + std::to_string(*job.shape.cpus) + " cpus");
  } else if (job.shape.all_cpus && !job.shape.exclusive) {
    job.refuse("resources.cpus", "`cpus = all` needs the whole node in Slurm",
               "write `exclusive = true`, or the number of cpus");
  } else {
    job.exact("resources.cpus", "--exclusive");
  }
}

// Without a word the cluster's own way of counting cpus holds.
void add_threads(Job& job) {
  const auto& asked = job.role.resources.smt;
  if (!asked && job.batch.smt) return;
  const std::string hint = asked && asked->value ? "multithread" : "nomultithread";
  add_option(job, "--hint", hint, "resources.smt");
  job.exact("resources.smt", "--hint=" + hint);
}

void add_memory(Job& job) {
  const std::string amount = job.shape.all_memory ? "0"
                             : job.shape.memory   ? mebibytes(*job.shape.memory)
                                                  : std::string();
  if (!amount.empty()) add_option(job, "--mem", amount, "resources.memory");
  const auto& asked = job.role.resources.memory;
  if (asked && !asked->value.all && asked->value.low != asked->value.high)
    job.approximated("resources.memory", "--mem=" + amount, "a Slurm job has one amount: the upper end of the range");
  else job.exact("resources.memory", "--mem=" + amount);
  if (job.shape.exclusive) add_flag(job, "--exclusive", "resources.exclusive");
  job.exact("resources.exclusive", job.shape.exclusive ? "--exclusive" : "nodes may be shared");
}

void add_size(Job& job) {
  const auto& nodes = job.role.resources.nodes;
  const std::string count = std::to_string(job.shape.nodes);
  add_option(job, "--nodes", count, "resources.nodes");
  if (nodes && nodes->value.high > nodes->value.low)
    job.approximated("resources.nodes", "--nodes=" + count, "a Slurm job cannot grow: the lower end of the range");
  else job.exact("resources.nodes", "--nodes=" + count);
  // A text that starts its own steps has as many tasks as Slurm gives it, unless it says how many.
  if (job.runner() != model::Runner::batch_script || job.role.launch.processes)
    add_option(job, "--ntasks-per-node", std::to_string(job.tasks()), "launch.processes");
  add_cpus(job);
  add_threads(job);
  add_gpus(job);
  add_memory(job);
  if (job.role.resources.disk) {
    add_option(job, "--tmp", mebibytes(job.role.resources.disk->value), "resources.disk");
    job.approximated("resources.disk", "--tmp", "the disk that the node was configured with, not what is free on it");
  }
  job.approximated("resources.shm", "the node's own /dev/shm", "as large as the node has it");
}

void add_start_folder(Job& job) {
  const auto& workdir = job.role.workdir;
  if (!workdir || has_parts(job.plan)) return;
  const bool absolute = workdir->value.starts_with('/');
  if (absolute && !job.in_container()) {
    // sbatch expands nothing here, but slurmd replaces % in no folder either: the bytes are the path.
    add_option(job, "--chdir", workdir->value, "workdir");
    job.exact("workdir", "--chdir");
  } else {
    job.exact("workdir", absolute ? "the container's working directory" : "cd");
  }
}

// Below the site's log folder unless the pattern is absolute.
void add_log(Job& job, std::string_view option, const std::string& pattern, std::string_view field) {
  std::string path = pattern;
  if (job.site.log_dir && !pattern.starts_with('/')) {
    // A folder is text: no placeholders in it.
    const auto folder = sbatch_filename(job.site.log_dir->value, "");
    const auto name = sbatch_filename(pattern, job.role.name);
    if (job.site.log_dir->value.find('{') != std::string::npos || !folder || !name)
      return job.refuse(field, "no `" + std::string(option) +
                                   "` for this folder and name: Slurm replaces nothing in a name with a backslash");
    return add_option(job, option, *folder + "/" + *name, field);
  }
  const auto name = sbatch_filename(pattern, job.role.name);
  if (!name)
    return job.refuse(field, "a file name for `" + std::string(option) +
                                 "` cannot be empty or hold a backslash: Slurm then replaces nothing in it");
  add_option(job, option, *name, field);
}

void add_logs(Job& job) {
  const auto& logs = job.workload.logs;
  const bool output = logs && logs->output;
  const std::string_view usual =
      job.workload.sweep || job.copies_in_array() ? "{name}-{array}_{point}.out" : "{name}-{id}.out";
  add_log(job, "--output", output ? logs->output->value : std::string(usual), "logs.output");
  if (output) job.exact("logs.output", "--output");
  if (logs && logs->error) {
    add_log(job, "--error", logs->error->value, "logs.error");
    job.exact("logs.error", "--error");
  }
}

std::string_view mail_type(model::NotifyOn event) {
  constexpr std::array<std::string_view, 12> types = {
      "BEGIN",         "END",        "FAIL",           "REQUEUE",   "TIME_LIMIT_50", "TIME_LIMIT_80",
      "TIME_LIMIT_90", "TIME_LIMIT", "INVALID_DEPEND", "STAGE_OUT", "ALL",           "ARRAY_TASKS"};
  return types[static_cast<std::size_t>(event)];
}

// Slurm mails one user; its list of events is not a list of addresses.
void add_mail(Job& job) {
  if (!job.workload.notify) return;
  const model::Notify& notify = *job.workload.notify;
  std::string types;
  for (const auto& event : notify.on) types += (types.empty() ? "" : ",") + std::string(mail_type(event.value));
  if (!types.empty()) add_option(job, "--mail-type", types, "notify.on");
  job.exact("notify.on", "--mail-type=" + types);
  std::string users;
  for (const auto& email : notify.email) {
    const bool local = job.site.mail_domain && email.value.find('@') == std::string::npos;
    const std::string address = email.value + (local ? "@" + job.site.mail_domain->value : "");
    if (address.find_first_of(", ") != std::string::npos)
      return job.refuse_at(email.span, "notify.email",
                           "`" + printable(address) + "` is not one address: it holds a comma or a blank");
    users += (users.empty() ? "" : ",") + address;
  }
  if (!users.empty()) add_option(job, "--mail-user", users, "notify.email");
  job.exact("notify.email", "--mail-user=" + users);
}

// One --comment; a pair that could be read in two ways is refused.
void add_labels(Job& job) {
  std::string joined;
  for (const auto& [key, value] : job.workload.labels) {
    if (key.find_first_of(",=") != std::string::npos || value.value.find(',') != std::string::npos)
      return job.refuse("labels",
                        "label `" + key + "` cannot be told apart in `--comment=key=value,…`: a comma or `=` in it");
    joined += (joined.empty() ? "" : ",") + key + "=" + value.value;
  }
  if (joined.size() > 1024)
    return job.refuse("labels", "the labels make a `--comment` of more than 1024 bytes, Slurm's limit");
  if (joined.empty()) return;
  add_option(job, "--comment", joined, "labels");
  job.approximated("labels", "--comment", "Slurm has no labels; they are text for people and accounting");
}

// Slurm's own default is all of it, unless the submitter's SBATCH_EXPORT says something else.
void add_export(Job& job) {
  const bool stated = job.role.launch.inherits.has_value();
  if (!stated && job.batch.export_all) return;
  add_option(job, "--export", job.inherits_all() ? "ALL" : "NONE", "launch.export");
  job.exact("launch.export", job.inherits_all() ? "--export=ALL" : "--export=NONE");
}

}  // namespace

void add_directives(Job& job) {
  add_identity(job);
  add_size(job);
  if (job.workload.time_limit) {
    const std::string time = slurm_time(job.workload.time_limit->value);
    add_option(job, "--time", time, "time-limit");
    job.exact("time-limit", "--time=" + time);
  } else if (job.plan.queue != nullptr && job.plan.queue->default_time && job.plan.queue->max_time) {
    // Without a word a job has the queue's maximum; here Slurm would give it less.
    add_option(job, "--time", slurm_time(job.plan.queue->max_time->value), "queue");
  }
  add_array(job);
  add_start_folder(job);
  add_retry_directives(job);
  add_stop_directives(job);
  add_logs(job);
  add_mail(job);
  add_labels(job);
  add_node_selection(job);
  add_topology(job);
  add_export(job);
  add_raw_options(job);
  add_site_directives(job);
  add_submit_filter(job);
  check_pin(job);
}

void add_component(Job& job) {
  if (const model::Queue* queue = job.plan.queue) {
    if (!queue->plane_name.empty()) add_option(job, "--partition", queue->plane_name, "queue");
    if (queue->constraint) add_option(job, "--constraint", queue->constraint->value, "queue");
  }
  add_size(job);
  add_node_selection(job);
  add_topology(job);
}

}  // namespace muster::targets::slurm

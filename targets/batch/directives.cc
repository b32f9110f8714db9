// What every batch job asks for: who pays, how long, where the output goes. The dialect spells it.
#include "targets/batch/sections.h"

namespace muster::targets::batch {
namespace {

void add_identity(Job& job) {
  const auto& title = job.workload.title;
  const std::string& name = title ? title->value : job.workload.name;
  job.ask(Request::name, job.run.empty() ? name : name + "-" + std::string(job.run), Field::title);
  job.exact(Field::title, job.option_of(Request::name));
  if (!job.plan.account.empty()) {
    job.ask(Request::account, job.plan.account, Field::account);
    job.exact(Field::account, job.option_of(Request::account));
  }
  if (const model::Queue* queue = job.plan.queue) {
    if (!queue->plane_name.empty()) job.ask(Request::queue, queue->plane_name, Field::queue);
    if (queue->qos) job.ask(Request::qos, queue->qos->value, Field::queue);
    if (queue->constraint) job.ask(Request::features, queue->constraint->value, Field::queue);
    if (queue->reservation) job.ask(Request::reservation, queue->reservation->value, Field::queue);
    job.exact(Field::queue,
              queue->plane_name.empty() ? "the cluster's default partition" : job.option_of(Request::queue));
  } else if (!job.workload.queues.empty()) {
    job.refuse(Field::queue, "site `" + job.site.name + "` has no queue `" + job.workload.queues.front().value + "`");
  }
  add_priority(job);
}

void add_start_folder(Job& job) {
  const auto& workdir = job.role.workdir;
  if (!workdir || has_parts(job.plan)) return;
  const bool absolute = workdir->value.starts_with('/');
  if (absolute && !job.in_container()) {
    job.ask(Request::folder, workdir->value, Field::workdir);
    job.exact(Field::workdir, job.option_of(Request::folder));
  } else {
    job.exact(Field::workdir, absolute ? "the container's working directory" : "cd");
  }
}

// Below the site's log folder unless the pattern is absolute.
void add_log(Job& job, Request request, const std::string& pattern, const FieldRef& field) {
  const std::string option(job.option_of(request));
  const auto file = job.dialect.log_file(pattern, job.role.name);
  if (job.site.log_dir && !pattern.starts_with('/')) {
    // A folder is text: no placeholders in it.
    const auto folder = job.dialect.log_file(job.site.log_dir->value, "");
    if (job.site.log_dir->value.find('{') != std::string::npos || !folder || !file)
      return job.refuse(field, "`" + option + "` cannot express this folder and name; " + job.system() +
                                   " does not expand patterns in a name with a backslash");
    return job.ask(request, *folder + "/" + *file, field);
  }
  if (!file)
    return job.refuse(field, "a file name for `" + option + "` cannot be empty or contain a backslash; " +
                                 job.system() + " then does not expand patterns in it");
  job.ask(request, *file, field);
}

void add_logs(Job& job) {
  const auto& logs = job.workload.logs;
  const bool output = logs && logs->output;
  const std::string_view usual =
      job.workload.sweep || job.copies_in_array() ? "{name}-{array}_{point}.out" : "{name}-{id}.out";
  add_log(job, Request::output, output ? logs->output->value : std::string(usual), Field::logs_output);
  if (output) job.exact(Field::logs_output, job.option_of(Request::output));
  if (logs && logs->error) {
    add_log(job, Request::error, logs->error->value, Field::logs_error);
    job.exact(Field::logs_error, job.option_of(Request::error));
  }
}

void add_time(Job& job) {
  const model::Queue* queue = job.plan.queue;
  if (job.workload.time_limit) {
    const std::string time = job.dialect.time(job.workload.time_limit->value);
    job.ask(Request::time, time, Field::time_limit);
    job.exact(Field::time_limit, std::string(job.option_of(Request::time)) + "=" + time);
  } else if (queue != nullptr && queue->default_time && queue->max_time) {
    // Where nothing is given a job has the queue's maximum; here the system would give it less.
    job.ask(Request::time, job.dialect.time(queue->max_time->value), Field::queue);
  }
}

}  // namespace

void add_directives(Job& job) {
  add_identity(job);
  job.dialect.ask_size(job);
  add_time(job);
  add_array(job);
  add_start_folder(job);
  add_retry_directives(job);
  add_stop_directives(job);
  add_logs(job);
  job.dialect.ask_notices(job);
  job.dialect.ask_nodes(job);
  job.dialect.ask_own(job);
}

void add_component(Job& job) {
  if (const model::Queue* queue = job.plan.queue) {
    if (!queue->plane_name.empty()) job.ask(Request::queue, queue->plane_name, Field::queue);
    if (queue->constraint) job.ask(Request::features, queue->constraint->value, Field::queue);
  }
  job.dialect.ask_size(job);
  job.dialect.ask_nodes(job);
}

}  // namespace muster::targets::batch

// What every batch job asks for: who pays, how long, where the output goes. The dialect spells it.
#include <algorithm>
#include <utility>

#include "targets/batch/sections.h"

namespace muster::targets::batch {
namespace {

void add_identity(Job& job) {
  job.ask(Request::name, job.name(), Field::title);
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
    if (queue->plane_name.empty()) job.read(Field::queue, "the cluster's default partition");
    else job.exact(Field::queue, job.option_of(Request::queue));
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

void add_time(Job& job) {
  const model::Queue* queue = job.plan.queue;
  if (job.workload.time_limit) {
    const std::string time = job.dialect.time(job.workload.time_limit->value);
    job.ask(Request::time, time, Field::time_limit);
    job.exact(Field::time_limit, std::string(job.option_of(Request::time)) + "=" + time);
  } else if (queue != nullptr && queue->default_time) {
    job.ask(Request::time, job.dialect.time(queue->default_time->value), Field::queue);
  }
}

// Where roles share the nodes, what becomes of the amounts of each is its step's to say.
void ask_for_nodes(Job& job) {
  Loss before = job.loss;
  job.dialect.ask_size(job);
  if (!job.shape.sharing.empty()) job.loss = std::move(before);
}

// The limit of a job that states none; after the user's own options, one of which may be a limit.
void report_default_time(Job& job) {
  if (job.workload.time_limit) return;
  if (!job.has(Request::time))
    return job.loss.read(Field::time_limit,
                         "nothing is written: the default of the partition applies, which the site does not declare");
  const model::Queue* queue = job.plan.queue;
  if (queue == nullptr || !queue->default_time) return;
  const std::string as = std::string(job.option_of(Request::time)) + "=" + job.dialect.time(queue->default_time->value);
  if (std::find(job.directives.begin(), job.directives.end(), as) != job.directives.end())
    job.loss.exact(Field::time_limit, as + ", the default-time of queue " + queue->name);
}

}  // namespace

void add_directives(Job& job) {
  add_identity(job);
  ask_for_nodes(job);
  add_time(job);
  add_array(job);
  add_start_folder(job);
  add_retry_directives(job);
  add_stop_directives(job);
  add_logs(job);
  job.dialect.ask_notices(job);
  job.dialect.ask_nodes(job);
  job.dialect.ask_own(job);
  report_default_time(job);
}

void add_component(Job& job) {
  if (const model::Queue* queue = job.plan.queue) {
    if (!queue->plane_name.empty()) job.ask(Request::queue, queue->plane_name, Field::queue);
    if (queue->constraint) job.ask(Request::features, queue->constraint->value, Field::queue);
  }
  ask_for_nodes(job);
  job.dialect.ask_nodes(job);
}

}  // namespace muster::targets::batch

// What every batch job asks for: who pays, how long, where the output goes. The dialect spells it.
#include <algorithm>
#include <utility>

#include "compiler/base/text.h"
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
    if (queue->constraint && job.dialect.names_features)
      job.ask(Request::features, queue->constraint->value, Field::queue);
    if (queue->reservation) job.ask(Request::reservation, queue->reservation->value, Field::queue);
    if (queue->plane_name.empty())
      job.read(Field::queue, "the cluster's default " + std::string(job.dialect.queue_word));
    else job.exact(Field::queue, job.option_of(Request::queue));
  } else if (!job.workload.queues.empty()) {
    job.refuse(Field::queue, "site `" + job.site.name + "` has no queue `" + job.workload.queues.front().value + "`");
  }
  add_priority(job);
}

void add_start_folder(Job& job) {
  const auto& workdir = job.role.workdir;
  if (!workdir || has_parts(job.plan)) return;
  const bool absolute = workdir->value.is_absolute();
  const contract::Pieces folder = pieces_of(job, workdir->value);
  const bool by_option = !job.option_of(Request::folder).empty();
  if (by_option && absolute && !job.in_container() && !contract::has_variables(folder)) {
    job.ask(Request::folder, contract::bytes_of(folder), Field::workdir);
    job.exact(Field::workdir, job.option_of(Request::folder));
  } else {
    job.exact(Field::workdir, absolute && job.in_container() && !is_late(job, workdir->value)
                                  ? "the container's working directory"
                                  : "cd");
  }
}

void add_time(Job& job) {
  if (job.workload.time_limit_default)
    job.read(Field::time_limit,
             "nothing is written, so the " + std::string(job.dialect.queue_word) + "'s default holds");
  const auto limit = model::limit_of(job.workload, job.plan.queue);
  if (!limit) return;
  const std::string time = job.dialect.time(limit->value);
  job.ask(Request::time, time, job.workload.time_limit ? Field::time_limit : Field::queue);
  const std::string as = spelt(job.option_of(Request::time), time);
  if (limit->value.seconds_up() % job.dialect.time_step == 0) return job.exact(Field::time_limit, as);
  job.approximated(Field::time_limit, as, job.system() + " counts minutes, so the limit is rounded up");
}

// Where roles share the nodes, what becomes of the amounts of each is its step's to say.
void ask_for_nodes(Job& job) {
  Loss before = job.loss;
  job.dialect.ask_size(job);
  if (!job.shape.sharing.empty()) job.loss = std::move(before);
}

// The limit of a job that states none; after the user's own options, one of which may be a limit.
void report_default_time(Job& job) {
  if (job.workload.time_limit || job.workload.time_limit_default) return;
  if (!job.has(Request::time))
    return job.loss.read(Field::time_limit, "nothing is written: the default of the " +
                                                std::string(job.dialect.queue_word) +
                                                " applies, which the site does not declare");
  const model::Queue* queue = job.plan.queue;
  if (queue == nullptr || !queue->default_time) return;
  const std::string as = spelt(job.option_of(Request::time), job.dialect.time(queue->default_time->value));
  if (std::find(job.directives.begin(), job.directives.end(), as) != job.directives.end())
    job.loss.exact(Field::time_limit, as + ", the default-time of queue " + queue->name);
}

}  // namespace

void check_submit_filter(Job& job) {
  if (!job.site.submit_filter) return;
  const auto has = [&](const std::string& option) {
    return std::any_of(job.directives.begin(), job.directives.end(), [&](const std::string& directive) {
      const std::string_view rest =
          directive.starts_with(option) ? std::string_view(directive).substr(option.size()) : "-";
      return rest.empty() || ((rest[0] == '=' || rest[0] == ' ') && option.find('=') == std::string::npos);
    });
  };
  for (const auto& option : job.site.submit_filter->wants)
    if (!has(option.value))
      job.refuse_at(option.span, Field::submit_filter,
                    "the site's submit filter requires `" + option.value + "`, which this job does not set",
                    "set the corresponding key of the workload, or add the option to `target " +
                        std::string(job.dialect.target) + " { … }`");
  for (const auto& option : job.site.submit_filter->refuses)
    if (has(option.value))
      job.refuse_at(option.span, Field::submit_filter,
                    "the site's submit filter rejects `" + option.value + "`, which this job sets",
                    "remove the key of the workload that sets it");
}

void add_directives(Job& job) {
  add_identity(job);
  ask_for_nodes(job);
  add_time(job);
  add_array(job);
  add_start_folder(job);
  add_retry_directives(job);
  add_stop_directives(job);
  job.dialect.add_logs == nullptr ? add_logs(job) : job.dialect.add_logs(job);
  job.dialect.ask_notices(job);
  job.dialect.ask_nodes(job);
  job.dialect.ask_own(job);
  report_retry(job);
  report_default_time(job);
}

void add_component(Job& job) {
  if (const model::Queue* queue = job.plan.queue) {
    if (!queue->plane_name.empty()) job.ask(Request::queue, queue->plane_name, Field::queue);
    if (queue->constraint && job.dialect.names_features)
      job.ask(Request::features, queue->constraint->value, Field::queue);
  }
  ask_for_nodes(job);
  job.dialect.ask_nodes(job);
}

void add_addresses(Job& job, const model::Notify& notify, std::string_view option) {
  std::string users;
  for (const auto& email : notify.email) {
    const bool local = job.site.mail_domain && email.value.find('@') == std::string::npos;
    const std::string address = email.value + (local ? "@" + job.site.mail_domain->value : "");
    if (address.find_first_of(", ") != std::string::npos)
      return job.refuse_at(
          email.span, Field::notify_email,
          "`" + printable(address) + "` is not a valid mail address, because it contains a comma or a space");
    users += (users.empty() ? "" : ",") + address;
  }
  if (!users.empty()) job.dialect.add_option(job, option, users, Field::notify_email);
  job.exact(Field::notify_email, spelt(option, users));
}

}  // namespace muster::targets::batch

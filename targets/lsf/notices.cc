// Mail, licenses, and what people read about a job.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/license.h"
#include "targets/lsf/sections.h"

namespace muster::targets::lsf {
namespace {

// LSF mails at the start and at every end, whatever the end is.
void add_events(Job& job, const model::Notify& notify) {
  using model::NotifyOn;
  const auto is_any = [&](std::initializer_list<model::NotifyOn> events) {
    return std::any_of(notify.on.begin(), notify.on.end(), [&](const auto& event) {
      return std::find(events.begin(), events.end(), event.value) != events.end();
    });
  };
  const bool begin = is_any({NotifyOn::start, NotifyOn::all}),
             end = is_any({NotifyOn::end, NotifyOn::fail, NotifyOn::time_limit, NotifyOn::all});
  if (begin) job.directives.emplace_back("-B");
  if (end) job.directives.emplace_back("-N");
  const std::string as = begin && end ? "-B, -N" : begin ? "-B" : end ? "-N" : "nothing";
  const bool exact = std::all_of(notify.on.begin(), notify.on.end(), [](const auto& event) {
    return event.value == NotifyOn::start || event.value == NotifyOn::end;
  });
  if (exact) return job.exact(Field::notify_on, as);
  job.approximated(Field::notify_on, as, "LSF sends mail when a job starts and when it ends, however it ends");
}

void add_mail(Job& job) {
  if (!job.workload.notify) return;
  const model::Notify& notify = *job.workload.notify;
  add_events(job, notify);
  if (notify.email.size() > 1)
    return job.refuse_at(notify.email[1].span, Field::notify_email, "LSF sends the mail of a job to one address",
                         "name one address, that of a list for instance");
  batch::add_addresses(job, notify, "-u");
}

// Shared resources of the cluster, counted for the job.
void add_licenses(Job& job) {
  for (const auto& license : job.workload.licenses) {
    const auto request = model::read_license(license.value);
    if (!request || !is_word(request->name))
      return job.refuse_at(license.span, Field::licenses,
                           "`" + printable(license.value) + "` is not a valid name of a resource of LSF");
    const std::string section = "rusage[" + request->name + "=" + std::to_string(request->count) + "/job]";
    require(job, section);
    job.exact(Field::licenses, section);
  }
}

// A description; LSF does not select jobs by it.
void add_labels(Job& job) {
  std::string joined;
  for (const auto& [key, value] : job.workload.labels) joined += (joined.empty() ? "" : " ") + key + "=" + value.value;
  if (joined.empty()) return;
  if (!is_value(joined)) return job.approximated_each(Field::labels, "nothing", "no #BSUB line can hold them");
  add_option(job, "-Jd", joined, Field::labels);
  job.approximated_each(Field::labels, "-Jd", "LSF has no labels; the description is text for users");
}

}  // namespace

void ask_notices(Job& job) {
  add_licenses(job);
  add_mail(job);
  add_labels(job);
}

}  // namespace muster::targets::lsf

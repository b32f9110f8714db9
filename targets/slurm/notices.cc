// Mail notifications, and what people read about a job.
#include <array>

#include "compiler/base/text.h"
#include "targets/slurm/options.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

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
  if (!types.empty()) add_option(job, "--mail-type", types, Field::notify_on);
  job.exact(Field::notify_on, "--mail-type=" + types);
  batch::add_addresses(job, notify, "--mail-user");
}

// One --comment; a pair that could be read in two ways is refused.
void add_labels(Job& job) {
  std::string joined;
  for (const auto& [key, value] : job.workload.labels) {
    if (key.find_first_of(",=") != std::string::npos || value.value.find(',') != std::string::npos)
      return job.refuse(
          Field::labels,
          "label `" + key + "` cannot be written in `--comment=key=value,…`, because it contains a comma or `=`");
    joined += (joined.empty() ? "" : ",") + key + "=" + value.value;
  }
  if (joined.size() > 1024)
    return job.refuse(Field::labels, "the labels exceed 1024 bytes in `--comment`, Slurm's limit");
  if (joined.empty()) return;
  add_option(job, "--comment", joined, Field::labels);
  job.approximated(Field::labels, "--comment", "Slurm has no labels; the comment is text for users and accounting");
}

void add_licenses(Job& job) {
  std::string list;
  for (const auto& license : job.workload.licenses) list += (list.empty() ? "" : ",") + license.value;
  if (list.empty()) return;
  add_option(job, "--licenses", list, Field::licenses);
  job.exact(Field::licenses, "--licenses=" + list);
}

}  // namespace

void ask_notices(Job& job) {
  add_licenses(job);
  add_mail(job);
  add_labels(job);
}

}  // namespace muster::targets::slurm

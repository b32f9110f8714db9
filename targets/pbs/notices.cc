// Mail, licenses, and what people read about a job.
#include "compiler/base/text.h"
#include "compiler/model/license.h"
#include "targets/pbs/sections.h"

namespace muster::targets::pbs {
namespace {

// The letter of an event; 0: PBS sends no mail then.
char mail_letter(model::NotifyOn event) {
  using enum model::NotifyOn;
  switch (event) {
    case start: return 'b';
    case end: return 'e';
    case fail:
    case time_limit: return 'a';
    default: return 0;
  }
}

void add_mail(Job& job) {
  if (!job.workload.notify) return;
  const model::Notify& notify = *job.workload.notify;
  std::string letters;
  bool all_known = true;
  for (const auto& event : notify.on) {
    const std::string own = event.value == model::NotifyOn::all ? "abe" : std::string(1, mail_letter(event.value));
    if (own[0] == 0) all_known = false;
    else
      for (const char letter : own)
        if (letters.find(letter) == std::string::npos) letters += letter;
  }
  if (!letters.empty()) add_option(job, "-m", letters, Field::notify_on);
  const std::string as = letters.empty() ? "nothing" : "-m " + letters;
  if (all_known) job.exact(Field::notify_on, as);
  else job.approximated(Field::notify_on, as, "PBS sends mail when a job starts, ends or is aborted");
  batch::add_addresses(job, notify, "-M");
}

// Resources of the server, which counts them.
void add_licenses(Job& job) {
  for (const auto& license : job.workload.licenses) {
    const auto request = model::read_license(license.value);
    if (!request || !is_word(request->name))
      return job.refuse_at(license.span, Field::licenses,
                           "`" + printable(license.value) + "` is not a valid name of a resource of PBS");
    job.directives.push_back("-l " + request->name + "=" + std::to_string(request->count));
    job.exact(Field::licenses, job.directives.back());
  }
}

}  // namespace

void ask_notices(Job& job) {
  add_licenses(job);
  add_mail(job);
  job.approximated_each(Field::labels, "nothing", "a PBS job has no labels, and only operators comment on one");
}

}  // namespace muster::targets::pbs

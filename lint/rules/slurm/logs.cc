// SLM024 array-one-log, SLM025 requeue-truncates-log, SLM026 requeue-unset, SLM064 log-overwritten: what becomes of the
// log of a job that has several tasks, attempts or runs.
#include <algorithm>

#include "compiler/base/text.h"
#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

// Whether what sbatch replaces in a file name contains one of the letters: "%a", "%4a".
bool has_pattern(std::string_view name, std::string_view letters) {
  for (std::size_t i = name.find('%'); i < name.size(); i = name.find('%', i + 1)) {
    std::size_t at = i + 1;
    while (at < name.size() && is_digit(name[at])) ++at;
    if (at < name.size() && letters.find(name[at]) != std::string_view::npos) return true;
    if (at < name.size() && name[at] == '%') i = at;
  }
  return false;
}

// A plain file: no device, and nothing that this file alone cannot tell.
bool is_plain_file(const slurm::Known<std::string>& name) {
  return name && !name->empty() && !name->starts_with("/dev/") && *name != "none" &&
         name->find_first_of("$\\`") == std::string::npos;
}

bool appends(const SlurmJob& job) {
  const auto& mode = job.meaning.job().open_mode;
  return mode.given() && (!mode || mode->starts_with('a'));
}

// ---- SLM024 ------------------------------------------------------------------------------------------

// The index before the ending of a file name; empty where the value is not written plainly.
std::vector<Edit> with_index(const SlurmJob& job, const slurm::Directive& d, const std::string& name) {
  if (d.value_span.file != job.script.file || job.sources().text(d.value_span) != name) return {};
  const std::size_t slash = name.rfind('/'), dot = name.rfind('.');
  const bool ending = dot != std::string::npos && dot > 0 && (slash == std::string::npos || dot > slash + 1);
  const auto at = d.value_span.begin + static_cast<std::uint32_t>(ending ? dot : name.size());
  return {{{d.value_span.file, at, at}, "_%a"}};
}

void check_array_log(const SlurmJob& job, const slurm::Known<std::string>& file) {
  const slurm::Component& c = job.meaning.job();
  if (!c.array || c.array->count < 2 || !is_plain_file(file) || has_pattern(*file, "ajJ") || appends(job)) return;
  Finding& f = job.wrong(RuleId::array_one_log, file.by,
                         "the " + std::to_string(c.array->count) + " tasks of the array write `" +
                             printable(*file, 80) + "`, and each truncates it");
  if (const slurm::Directive* d = job.directive(c.array.by); d != nullptr) f.labels.push_back({d->whole, "the array"});
  if (const slurm::Directive* d = job.directive(file.by); d != nullptr)
    if (auto edits = with_index(job, *d, *file); !edits.empty())
      f.fix = Fix{"add the index of the task", false, std::move(edits)};
}

// ---- SLM064 ------------------------------------------------------------------------------------------

void check_fixed_name(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  for (const slurm::Known<std::string>* file : {&c.output, &c.error}) {
    if (!is_plain_file(*file) || has_pattern(**file, "jJA") || c.array.given() || appends(job)) continue;
    Finding& f =
        job.wrong(RuleId::log_overwritten, file->by,
                  "the next run of this job truncates `" + printable(**file, 80) + "`, with what this one wrote");
    f.notes.push_back("write `%j`, the id of the job, in the name");
    return;
  }
}

// ---- SLM025, SLM026 ----------------------------------------------------------------------------------

// `scontrol requeue` in the script: it starts itself again.
const shell::Command* own_requeue(const SlurmJob& job) {
  for (const shell::Command& c : job.body.commands)
    if (c.program() == "scontrol" && c.words.size() > 1 && c.words[1].text == "requeue") return &c;
  return nullptr;
}

void check_truncated(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  const shell::Command* own = own_requeue(job);
  const bool asked = c.requeue && *c.requeue;
  if ((!asked && own == nullptr) || appends(job) || (c.output.given() && !is_plain_file(c.output))) return;
  const std::string message =
      "Slurm truncates the log when it requeues the job, and that of the attempt before is lost";
  Finding& f = asked ? job.wrong(RuleId::requeue_truncates_log, c.requeue.by, message)
                     : job.wrong_at(RuleId::requeue_truncates_log, own->span, "requeue", message);
  const slurm::Directive* d = job.directive(asked ? c.requeue.by : job.meaning.job().output.by);
  if (d == nullptr || d->whole.file != job.script.file || d->origin != slurm::Origin::sbatch) return;
  const Span line = whole_line(job.sources(), d->whole);
  f.fix = Fix{"append to the log", false, {{{line.file, line.end, line.end}, "#SBATCH --open-mode=append\n"}}};
}

void check_unset(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (c.gpus_in_all.value.value_or(0) < 1) return;
  if (c.requeue.given() || own_requeue(job) != nullptr || mentions_saving(job)) return;
  job.wrong(RuleId::requeue_unset, slurm::no_directive,
            "the job sets neither `--requeue` nor `--no-requeue`, so after a node failure it may begin again");
}

}  // namespace

void check_logs(const SlurmJob& job) {
  check_array_log(job, job.meaning.job().output);
  check_array_log(job, job.meaning.job().error);
  check_fixed_name(job);
  check_truncated(job);
  check_unset(job);
}

}  // namespace muster::lint

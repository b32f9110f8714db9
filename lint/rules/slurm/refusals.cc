// SLM021 sbatch-refuses, SLM022 template.
#include <algorithm>

#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

// An option that no Slurm has may be one of a plugin of the cluster; a name close to a known one is a slip.
bool may_be_a_plugin(const slurm::Refusal& refusal) {
  return refusal.kind == slurm::RefusalKind::unknown_option && refusal.nearest.empty();
}

// The name of an option without its value: `--tiem` of `--tiem=1:00`.
Span option_name(const SlurmJob& job, Span option) {
  const std::size_t equals = job.sources().text(option).find('=');
  if (equals != std::string_view::npos) option.end = option.begin + static_cast<std::uint32_t>(equals);
  return option;
}

void report_refusal(const SlurmJob& job, const slurm::Refusal& refusal) {
  const bool in_file = refusal.span.file == job.script.file;
  Finding& f = job.wrong_at(RuleId::sbatch_refuses, in_file ? refusal.span : job.head(),
                            std::string(name(refusal.kind)), "sbatch rejects this script: " + refusal.message);
  if (!in_file) f.labels.push_back({refusal.span, "on the command line"});
  if (may_be_a_plugin(refusal)) {
    mark_unclear(f);
    f.notes.push_back("a plugin of the cluster may add such an option");
  }
  if (!refusal.nearest.empty() && in_file)
    f.fix = Fix{"write `" + refusal.nearest + "`", false, {{option_name(job, refusal.span), refusal.nearest}}};
}

void report_conflict(const SlurmJob& job, const slurm::Conflict& conflict) {
  const std::int32_t by = conflict.by.empty() ? slurm::no_directive : conflict.by.back();
  Finding& f = job.wrong(RuleId::sbatch_refuses, by, "Slurm rejects this: " + conflict.message);
  if (f.path.empty()) f.path = std::string(name(conflict.kind));
  for (std::size_t i = 0; i + 1 < conflict.by.size(); ++i)
    f.labels.push_back({job.directive(conflict.by[i])->whole, "with this"});
  if (conflict.certain) return;
  mark_unclear(f);
  f.notes.push_back("Slurm " + std::to_string(conflict.since.major) + "." + (conflict.since.minor < 10 ? "0" : "") +
                    std::to_string(conflict.since.minor) + " and later reject it; declare the site's `version`");
}

// Options that take words: one that Slurm does not know is a slip of the pen there.
bool takes_words(const slurm::Directive& d) {
  static constexpr std::string_view names[] = {"mail-type", "open-mode", "exclusive", "kill-on-invalid-dep",
                                               "requeue",   "begin",     "deadline",  "no-kill"};
  return std::find(std::begin(names), std::end(names), d.name) != std::end(names);
}

// A value that a person or a program has yet to fill in: `{nodes}`, `@NODES`, or no digit where a number belongs.
bool is_placeholder(std::string_view value, bool refused) {
  const std::size_t brace = value.find('{');
  if (brace != std::string_view::npos && (brace == 0 || value[brace - 1] != '$')) return true;
  if (value.find("<%") != std::string_view::npos) return true;  // ERB
  if (!refused || value.find('$') != std::string_view::npos) return false;
  const bool digits = value.find_first_of("0123456789") != std::string_view::npos;
  return !value.empty() && (!digits || value.find('@') != std::string_view::npos);
}

std::string_view value_of(const slurm::Directive& d) {
  return d.value ? std::string_view(*d.value) : std::string_view();
}

// `--time=##HOURS##:0:00`, of which Slurm reads a comment.
bool has_hash_placeholder(const SlurmJob& job, const slurm::Directive& d) {
  const std::string_view line = job.sources().text(whole_line(job.sources(), d.whole));
  const std::size_t hashes = line.find("##", 1);
  return hashes != std::string_view::npos && line[hashes - 1] != ' ' &&
         line.find("##", hashes + 2) != std::string_view::npos;
}

// Where the file shows that it is not a script yet; unknown where it is one.
Span first_placeholder(const SlurmJob& job) {
  for (const slurm::Template& t : job.script.templates)
    if (t.kind != slurm::TemplateKind::shell_variable) return t.span;
  for (const slurm::Directive& d : job.script.directives)
    if (is_placeholder(value_of(d), false)) return d.whole;
  for (const slurm::Conflict& c : job.meaning.conflicts)
    if (c.kind == slurm::ConflictKind::bad_value && !c.by.empty() &&
        (is_placeholder(value_of(*job.directive(c.by[0])), !takes_words(*job.directive(c.by[0]))) ||
         has_hash_placeholder(job, *job.directive(c.by[0]))))
      return job.directive(c.by[0])->whole;
  return {};
}

// SLM020 says it already.
bool is_a_variable(const SlurmJob& job, const slurm::Conflict& conflict) {
  return conflict.kind == slurm::ConflictKind::bad_value && !conflict.by.empty() &&
         value_of(*job.directive(conflict.by[0])).find('$') != std::string_view::npos;
}

}  // namespace

bool is_unfilled(const SlurmJob& job) {
  const Span where = first_placeholder(job);
  if (!where.known() && !job.script.is_template()) return false;
  const Span shown = where.file == job.script.file ? where : job.head();
  job.cannot_tell_at(RuleId::unfilled_template, shown, "template",
                     "the placeholder is filled in before Slurm reads the script, so it is not checked");
  return true;
}

void check_refusals(const SlurmJob& job) {
  for (const slurm::Refusal& refusal : job.script.refusals) report_refusal(job, refusal);
  for (const slurm::Conflict& conflict : job.meaning.conflicts)
    if (!is_a_variable(job, conflict)) report_conflict(job, conflict);
}

}  // namespace muster::lint

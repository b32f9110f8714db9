// SLM021 sbatch-refuses, SLM022 template.
#include <algorithm>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/overlays.h"
#include "lint/rules/slurm/job.h"
#include "lint/rules/slurm/slurm.h"

namespace muster::lint {
namespace {

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
  if (may_be_of_plugin(refusal)) {
    mark_unclear(f);
    f.notes.push_back("a plugin of the cluster may add such an option");
  }
  if (!refusal.nearest.empty() && in_file)
    f.fix = Fix{"write `" + refusal.nearest + "`", false, {{option_name(job, refusal.span), refusal.nearest}}};
}

// `-ntasks` and `-n_tasks=4`: a long option with one hyphen, whose rest Slurm reads as the value of `-n`.
bool lacks_a_hyphen(const slurm::Directive& d) {
  if (d.spelling.size() != 2 || !d.value || !d.value_span.known() || d.value_span.begin != d.option.end) return false;
  const std::string_view name = std::string_view(*d.value).substr(0, d.value->find('='));
  return name.size() >= 4 && !blank_in(name, In::refused) &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_-") == std::string_view::npos;
}

void report_conflict(const SlurmJob& job, const slurm::Conflict& conflict) {
  const std::int32_t by = conflict.by.empty() ? slurm::no_directive : conflict.by.back();
  Finding& f = job.wrong(RuleId::sbatch_refuses, by, "Slurm rejects this: " + conflict.message);
  if (f.path.empty()) f.path = std::string(name(conflict.kind));
  if (conflict.kind == slurm::ConflictKind::bad_value && !conflict.by.empty() && lacks_a_hyphen(*job.directive(by)))
    f.notes.push_back("a long option begins with two hyphens");
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

// Options that name what a site or a person has: a word in their place is no name.
bool names_something(const slurm::Directive& d) {
  return is_one_of(d.name, {"account", "partition", "mail-user", "qos", "reservation"});
}

// A value that a person has yet to write: `<account>`, `YOUR_ACCOUNT`. The rest of the script is complete.
bool is_left_blank(const slurm::Directive& d) {
  const BlankFound found = d.value ? blank_in(*d.value, In::directive) : BlankFound{};
  return found.by == FilledBy::person && (!found.word || names_something(d));
}

// A value that a person has yet to write, instead of a number for instance.
bool is_to_fill_in(const SlurmJob& job, const slurm::Conflict& conflict) {
  if (conflict.kind != slurm::ConflictKind::bad_value || conflict.by.empty()) return false;
  const slurm::Directive& d = *job.directive(conflict.by[0]);
  if (lacks_a_hyphen(d)) return false;
  if (d.value && equal_ignoring_case(*d.value, "MaxMemPerNode")) return false;  // a name of slurm.conf
  return is_left_blank(d) || (!takes_words(d) && is_blank_amount(d.value.value_or("")));
}

void report_blank(const SlurmJob& job, Span where) {
  const bool in_file = where.file == job.script.file;
  job.cannot_tell_at(RuleId::unfilled_template, in_file ? where : job.head(), "placeholder",
                     left_to_fill_in(job.sources(), where));
}

// `#SBATCH -p  # your partition` in the line above: sbatch takes the next word as the value, and stops at the one
// after.
bool follows_described_blank(const SlurmJob& job, const slurm::Refusal& refusal) {
  const Span line = whole_line(job.sources(), refusal.span);
  if (refusal.kind != slurm::RefusalKind::stray_word || line.begin == 0) return false;
  const std::string_view above =
      trimmed(job.sources().text(whole_line(job.sources(), {line.file, line.begin - 1, line.begin - 1})));
  if (!above.starts_with("#SBATCH")) return false;
  const std::string_view option = trimmed(above.substr(7, above.substr(7).find('#')));
  return option.starts_with('-') && option.find_first_of(" \t=") == std::string_view::npos &&
         above.find('#', 7) != std::string_view::npos && option.size() == 2;
}

bool is_to_write(std::string_view text) {
  const BlankFound found = blank_in(text, In::refused);
  return found && found.by != FilledBy::variable;
}

// `-A  # your account`, `--mail-user=[your email]`
bool is_blank_refusal(const SlurmJob& job, const slurm::Refusal& refusal) {
  const bool value =
      refusal.kind == slurm::RefusalKind::missing_value || refusal.kind == slurm::RefusalKind::stray_word;
  if (!value || refusal.span.file != job.script.file) return false;
  const std::string_view line = job.sources().text(whole_line(job.sources(), refusal.span));
  const bool described = refusal.kind == slurm::RefusalKind::missing_value && line.rfind('#') > 0;
  return described || follows_described_blank(job, refusal) || is_to_write(line) ||
         is_to_write(job.sources().text(refusal.span));
}

// A value is missing somewhere that a person fills in.
bool has_blanks(const SlurmJob& job) {
  return std::any_of(job.script.directives.begin(), job.script.directives.end(), is_left_blank) ||
         std::any_of(job.meaning.conflicts.begin(), job.meaning.conflicts.end(),
                     [&](const slurm::Conflict& c) { return is_to_fill_in(job, c); }) ||
         std::any_of(job.script.refusals.begin(), job.script.refusals.end(),
                     [&](const slurm::Refusal& r) { return is_blank_refusal(job, r); });
}

// Of the words around a blank, such as the option that became the value of `#SBATCH -t`.
bool comes_of_blanks(const slurm::Refusal& refusal) {
  return refusal.kind == slurm::RefusalKind::stray_word || refusal.kind == slurm::RefusalKind::missing_value;
}

// `**FIXME**`, `your_script.py`: a word of a command that a person has yet to write, and not of a text that it prints.
Span blank_in_command(const SlurmJob& job) {
  const std::string_view file = job.sources().text(job.script.file);
  for (const shell::Command& c : job.body.commands) {
    if (is_one_of(c.program(), {"echo", "printf"})) continue;
    for (const shell::Word& w : c.words) {
      if (!w.span.known() || w.span.file != job.script.file) continue;
      std::string_view word = file.substr(w.span.begin, w.span.end - w.span.begin);
      if (word.starts_with('"') || word.starts_with('\'')) word = trimmed(word, "\"'");
      if (blank_in(word, In::shell).word) return w.span;
    }
  }
  return {};
}

// The first one: who fills it in finds the others.
void check_blanks(const SlurmJob& job) {
  for (const slurm::Directive& d : job.script.directives)
    if (is_left_blank(d)) return report_blank(job, d.whole);
  for (const slurm::Conflict& conflict : job.meaning.conflicts)
    if (is_to_fill_in(job, conflict)) return report_blank(job, job.directive(conflict.by[0])->whole);
  for (const slurm::Refusal& refusal : job.script.refusals)
    if (is_blank_refusal(job, refusal)) return report_blank(job, refusal.span);
  if (const Span blank = blank_in_command(job); blank.known()) report_blank(job, blank);
}

std::string_view value_of(const slurm::Directive& d) {
  return d.value ? std::string_view(*d.value) : std::string_view();
}

// SLM020 says it already.
bool is_a_variable(const SlurmJob& job, const slurm::Conflict& conflict) {
  return conflict.kind == slurm::ConflictKind::bad_value && !conflict.by.empty() &&
         value_of(*job.directive(conflict.by[0])).find('$') != std::string_view::npos;
}

// `#/bin/bash`, `!/bin/bash`: other files without a `#!` line may be read by another script, and not be submitted.
bool is_near_shebang(std::string_view line) {
  return line.size() < 60 && line.find("bin/") != std::string_view::npos && line.find(' ') > line.find("bin/");
}

}  // namespace

void check_incomplete(const SlurmJob& job, const targets::Purpose& purpose) {
  if (purpose.kind == targets::PurposeKind::wrapper) return;  // what it submits is judged
  const Span shown = purpose.where.known() && purpose.where.file == job.script.file ? purpose.where : job.head();
  const bool filled = purpose.kind == targets::PurposeKind::templated;
  Finding& f = job.cannot_tell_at(
      RuleId::unfilled_template, shown, "template",
      filled ? "the placeholder is filled in before Slurm reads the script; what depends on it is not checked"
      : purpose.in_part ? "this is " + described(purpose) + "; what depends on the lines below is not checked"
                        : "this is " + described(purpose) + ", so it is not checked as a batch script");
  f.notes.push_back("this is " + described(purpose) + ": " + purpose.why);
}

void check_without_options(const SlurmJob& job) {
  check_directives(job);
  const bool late = std::any_of(job.script.ignored.begin(), job.script.ignored.end(), [](const slurm::Ignored& i) {
    return i.kind == slurm::IgnoredKind::after_command && !i.directives.empty();
  });
  if (!late) return;
  for (const slurm::Refusal& refusal : job.script.refusals)
    if (refusal.kind == slurm::RefusalKind::no_shebang && is_near_shebang(job.sources().text(refusal.span)))
      report_refusal(job, refusal);
}

void check_refusals(const SlurmJob& job) {
  const bool form = !job.script.refusals.empty() && has_blanks(job);
  for (const slurm::Refusal& refusal : job.script.refusals)
    if (!is_blank_refusal(job, refusal) && !(form && comes_of_blanks(refusal))) report_refusal(job, refusal);
  for (const slurm::Conflict& conflict : job.meaning.conflicts)
    if (!is_a_variable(job, conflict) && !is_to_fill_in(job, conflict)) report_conflict(job, conflict);
  check_blanks(job);
}

}  // namespace muster::lint

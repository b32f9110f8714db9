#include "lint/rules/batch/batch.h"

#include <algorithm>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/rules/batch/job.h"
#include "targets/lsf/read/import.h"
#include "targets/pbs/read/import.h"
#include "targets/slurm/read/body.h"

namespace muster::lint {

bool is_in_document(const BatchJob& job, Span place) {
  return std::any_of(job.body.commands.begin(), job.body.commands.end(), [&](const shell::Command& command) {
    return std::any_of(command.redirects.begin(), command.redirects.end(), [&](const shell::Redirect& r) {
      return r.text.known() && r.text.begin <= place.begin && place.begin < r.text.end;
    });
  });
}

bool is_in_blank(const BatchJob& job, Span place) {
  const std::string_view file = job.sources().text(place.file);
  const std::size_t begin = file.rfind('\n', place.begin) + 1,
                    end = std::min(file.find('\n', place.begin), file.size());
  const BlankFound found = marked_blank_in(file.substr(begin, end - begin), In::refused);
  return (found && found.by != FilledBy::variable) || blank_in(job.sources().text(place), In::refused);
}

bool is_to_fill_in(const batch::DirectivePart& part) {
  const bool amount = is_one_of(part.option, {"-W", "-n"}) || pbs::takes(part.option) != pbs::Takes::other;
  return amount && !part.flag && is_blank_amount(trimmed(part.value, " \t\"'"));
}

Fix without(const BatchJob& job, Span span, std::string title) {
  const std::string_view text = job.sources().text(span.file);
  while (span.begin > 0 && (text[span.begin - 1] == ' ' || text[span.begin - 1] == '\t')) --span.begin;
  return Fix{std::move(title), true, {{span, ""}}};
}

namespace {

// `#BSUB -q <my queue>`, `#PBS -A YOUR_ACCOUNT`: the first one, for who fills it in finds the others.
void check_blanks(const BatchJob& job) {
  for (const batch::DirectivePart& p : job.read.parts) {
    const BlankFound found = blank_in(p.value, In::directive);
    const bool names = is_one_of(p.option, {"-q", "-A", "-P", "-M", "-u", "-W group_list"});
    if (!is_to_fill_in(p) && (found.by != FilledBy::person || (found.word && !names))) continue;
    job.cannot_tell(RuleId::unfilled_template, p.span, "placeholder", left_to_fill_in(job.sources(), p.span));
    return;
  }
}

void set_blanks(const BatchJob& job, AboutScript& about) {
  about.blanks = targets::slurm::blanks_of(job.sources(), job.script, job.body);
  std::erase_if(about.blanks, [](const targets::slurm::Blank& blank) { return blank.shell; });
  const auto hard = std::find_if(about.blanks.begin(), about.blanks.end(),
                                 [](const targets::slurm::Blank& blank) { return blank.hard; });
  if (hard != about.blanks.end()) report_dependence(*hard, batch::title(job.read.system), about, job.report.findings);
  check_blanks(job);
}

// Text and launches of a job are judged as those of a job of Slurm are.
template <class F>
std::vector<Finding> check_script(const Context& context, const batch::JobScript& script, const batch::Asked& asked,
                                  AboutScript& about, const F& check_directives) {
  std::vector<Finding> out;
  const std::string_view text = context.sources.text(script.text.span);
  std::vector<Said> said;
  for (const batch::DirectivePart& p : script.parts) said.push_back({p.span, {}, p.option});
  const BatchJob job{
      {{context, script.text.span, text, asked.body, {script.system, true}, "job", {out}, ByteTriples(text)},
       script.text,
       asked.meaning,
       std::move(said)},
      script};
  set_blanks(job, about);
  check_directives(job);
  check_text(job);
  if (asked.body.problems.empty() && about.blanks.empty()) check_launches(job);
  return out;
}

}  // namespace

std::vector<Finding> check_batch_script(const Context& context, std::uint32_t file, std::uint32_t, AboutScript& about) {
  if (batch::system_of(context.sources.text(file)) == batch::System::lsf) {
    batch::JobScript script = targets::lsf::read_script(context.sources, file);
    const batch::Asked asked = targets::lsf::asked_by(context.sources, script);
    return check_script(context, script, asked, about, check_lsf);
  }
  pbs::Script script = pbs::read_script(context.sources, file);
  const batch::Asked asked = pbs::asked_by(context.sources, script);
  return check_script(context, script.job, asked, about, [&](const BatchJob& job) { check_pbs(job, script.dialect); });
}

std::vector<Finding> check_unread_script(const Context& context, std::uint32_t file, std::uint32_t, AboutScript&) {
  std::vector<Finding> out;
  const std::string_view text = context.sources.text(file);
  const targets::slurm::Script script = batch::shell_text(context.sources, file);
  const shell::Body body = targets::slurm::read_body(context.sources, script);
  const auto system = batch::system_of(text);
  check_text({context, script.span, text, body, {system, true}, "job", {out}, ByteTriples(text)});
  return out;
}

}  // namespace muster::lint

#include "lint/rules/batch/batch.h"

#include <algorithm>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/rules/batch/job.h"
#include "targets/lsf/read/script.h"

namespace muster::lint {

bool is_in_document(const BatchJob& job, Span place) {
  return std::any_of(job.body.commands.begin(), job.body.commands.end(), [&](const shell::Command& command) {
    return std::any_of(command.redirects.begin(), command.redirects.end(), [&](const shell::Redirect& r) {
      return r.text.known() && r.text.begin <= place.begin && place.begin < r.text.end;
    });
  });
}

Fix without(const BatchJob& job, Span span, std::string title) {
  const std::string_view text = job.sources().text(span.file);
  while (span.begin > 0 && (text[span.begin - 1] == ' ' || text[span.begin - 1] == '\t')) --span.begin;
  return Fix{std::move(title), true, {{span, ""}}};
}

namespace {

// `#BSUB -q <my queue>`, `#PBS -A YOUR_ACCOUNT`: the first one, for who fills it in finds the others.
void check_blanks(const BatchJob& job) {
  for (const batch::DirectivePart& p : job.script.parts) {
    const BlankFound found = blank_in(p.value, In::directive);
    const bool names = is_one_of(p.option, {"-q", "-A", "-P", "-M", "-u", "-W group_list"});
    if (found.by != FilledBy::person || (found.word && !names)) continue;
    job.cannot_tell(RuleId::unfilled_template, p.span, "placeholder", left_to_fill_in(job.sources(), p.span));
    return;
  }
}

void set_blanks(const BatchJob& job, AboutScript& about) {
  about.blanks = targets::slurm::blanks_of(job.sources(), job.script.text, job.body);
  std::erase_if(about.blanks, [](const targets::slurm::Blank& blank) { return blank.shell; });
  const auto hard = std::find_if(about.blanks.begin(), about.blanks.end(),
                                 [](const targets::slurm::Blank& blank) { return blank.hard; });
  if (hard != about.blanks.end()) report_dependence(*hard, batch::title(job.script.system), about, job.report.findings);
  check_blanks(job);
}

}  // namespace

std::vector<Finding> check_batch_script(const Context& context, std::uint32_t file, std::uint32_t, AboutScript& about) {
  std::vector<Finding> out;
  if (batch::system_of(context.sources.text(file)) == batch::System::pbs) {
    const pbs::Script script = pbs::read_script(context.sources, file);
    const shell::Body body = targets::slurm::read_body(context.sources, script.job.text);
    const BatchJob job{context, script.job, body, {out}};
    set_blanks(job, about);
    check_pbs(job, script.dialect);
  } else {
    const batch::JobScript script = targets::lsf::read_script(context.sources, file);
    const shell::Body body = targets::slurm::read_body(context.sources, script.text);
    const BatchJob job{context, script, body, {out}};
    set_blanks(job, about);
    check_lsf(job);
  }
  return out;
}

}  // namespace muster::lint

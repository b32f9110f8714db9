// SLM055 needs-root, and what all checks of a job's text share.
#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/body/job_text.h"

namespace muster::lint {
namespace {

using shell::Command;

// Commands that may run in a container, or as root.
bool knows_containers(const JobText& job) {
  for (const std::string_view word : {"container-image", "container_image", "EUID", "id -u", "fakeroot", "proot"})
    if (job.mentions(word)) return true;
  return !shell::mentioned(job.text, shell::contains).empty();
}

}  // namespace

void check_root(const JobText& job) {
  if (job.host.is_container()) return;  // which is root in most images
  for (const Command& c : job.body.commands) {
    if (c.inside >= 0 || c.words.empty() || c.after_exit) continue;
    std::size_t at = 0;
    const bool sudo = c.program() == "sudo";
    if (sudo) ++at;
    while (at < c.words.size() && at > 0 && c.words[at].text.starts_with('-')) ++at;
    const shell::Doing what = at == 0 ? c.own : shell::doing_at(c.words, at);
    if (!what.is(shell::root) || !what.is({shell::Effect::installs})) continue;
    if (knows_containers(job)) return;
    const std::string program(base_name(c.words[at].text));
    if (sudo) {
      job.cannot_tell_at(RuleId::needs_root, c.span, program,
                         "`sudo " + program + "` works only where users may call `sudo` without a password");
      return;
    }
    job.wrong_at(RuleId::needs_root, c.span, program,
                 "`" + program + "` needs root, which a job does not have, so nothing is installed");
    return;
  }
}

void check_text(const JobText& job) {
  check_waits(job);
  check_background(job);
  check_shell_slips(job);
  check_root(job);
  check_functions(job);
  check_resubmission(job);
  check_exit_code(job);
}

bool is_work(const shell::Command& c) {
  using enum shell::Effect;
  return !c.program().empty() && (c.does.is({works, unknown}) || c.does.is(shell::starts_work));
}

Finding& JobText::wrong_at(RuleId rule, Span where, std::string path, std::string message, std::string label) const {
  return report.wrong(rule, {where, subject, field.empty() ? std::move(path) : field}, std::move(message),
                      std::move(label));
}

Finding& JobText::cannot_tell_at(RuleId rule, Span where, std::string path, std::string message) const {
  return report.cannot_tell(rule, {where, subject, field.empty() ? std::move(path) : field}, std::move(message));
}

void JobText::offer(Finding& finding, Fix fix) const {
  if (host.indent) finding.fix = std::move(fix);
}

}  // namespace muster::lint

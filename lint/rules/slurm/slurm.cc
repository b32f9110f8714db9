#include "lint/rules/slurm/slurm.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

// A file in which nothing is an option to sbatch only writes scripts, or has its directives too late.
bool is_a_job(const slurm::Script& script) {
  const auto of_option = [](const slurm::Refusal& r) {
    return r.kind != slurm::RefusalKind::no_shebang && r.kind != slurm::RefusalKind::dos_line_ends;
  };
  return !script.directives.empty() || std::any_of(script.refusals.begin(), script.refusals.end(), of_option);
}

std::vector<Said> said_in(const slurm::Script& script) {
  std::vector<Said> out;
  out.reserve(script.directives.size());
  for (const slurm::Directive& d : script.directives) out.push_back({d.whole, d.value_span, d.name});
  return out;
}

void check_one(const Context& context, const slurm::Script& script, const std::string& subject,
               std::vector<Finding>& out, AboutScript& about) {
  const shell::Body body = slurm::read_body(context.sources, script);
  const slurm::Meaning meaning = slurm::meaning_of(script, body, {context.site, context.fleet, std::nullopt});
  const ByteTriples triples(context.sources.text(script.span));
  const SlurmJob job{{{context,
                       script.span,
                       context.sources.text(script.span),
                       body,
                       {targets::batch::System::slurm, script.batch},
                       subject,
                       {out},
                       triples},
                      script,
                      meaning,
                      said_in(script)}};
  about.blanks = slurm::all_blanks_of(context.sources, script, body);
  about.purpose = slurm::purpose_of(context.sources, script, body, about.blanks);
  if (!about.purpose.is_complete()) check_incomplete(job, about.purpose);
  if (!about.purpose.is_complete() && !about.purpose.in_part) return;
  if (!is_a_job(script)) return check_without_options(job);
  check_refusals(job);
  check_directives(job);
  check_limits(job);
  check_fit(job);
  check_launches(job);
  check_cpus(job);
  check_commands(job);
  check_end(job);
  check_cluster(job);
  check_arguments(job);
  check_logs(job);
  check_steps(job);
  check_values(job);
  check_slips(job);
  check_text(job);
  check_one_program(job);
}

}  // namespace

const slurm::Directive* SlurmJob::directive(std::int32_t by) const {
  return by < 0 ? nullptr : &script.directives[static_cast<std::size_t>(by)];
}

std::vector<Finding> check_script(const Context& context, std::uint32_t file, std::uint32_t command_line,
                                  AboutScript& about) {
  slurm::ScriptOptions options;
  options.command_line = command_line;
  if (const model::Plane* plane = slurm::slurm_plane(context.site); plane != nullptr && plane->version.span.known())
    options.version = plane->version.value;
  const slurm::Script script = slurm::read_script(context.sources, file, options);
  std::vector<Finding> out;
  const bool whole = script.batch || script.embedded.empty();
  if (whole) check_one(context, script, "job", out, about);
  AboutScript inner;
  for (std::size_t i = 0; i < script.embedded.size(); ++i)
    if (script.embedded[i].handed_over)
      check_one(context, script.embedded[i], "job " + std::to_string(i + 1), out, inner);
  if (whole) return out;
  const shell::Body body = slurm::read_body(context.sources, script);
  about.blanks = slurm::all_blanks_of(context.sources, script, body);
  about.purpose = slurm::purpose_of(context.sources, script, body, about.blanks);
  return out;
}

namespace {

// A quoted text of several lines, in which no command runs.
bool is_long_text(const Sources& sources, const shell::Word& word) {
  if (!word.span.known()) return false;
  const std::string_view text = sources.text(word.span);
  return text.find('\n') != std::string_view::npos && text.find("$(") == std::string_view::npos &&
         text.find('`') == std::string_view::npos;
}

}  // namespace

std::vector<Span> texts_in_script(const Sources& sources, std::uint32_t file) {
  const slurm::Script script = slurm::read_script(sources, file);
  std::vector<Span> out;
  const auto add = [&](Span text) {
    const bool handed = std::any_of(script.embedded.begin(), script.embedded.end(), [&](const slurm::Script& inner) {
      return inner.handed_over && inner.span.begin < text.end && text.begin < inner.span.end;
    });
    if (text.known() && !handed) out.push_back(text);
  };
  for (const shell::Command& command : slurm::read_body(sources, script).commands) {
    for (const shell::Word& word : command.words)
      if (is_long_text(sources, word)) add(word.span);
    for (const shell::Redirect& redirect : command.redirects) add(redirect.text);
  }
  return out;
}

}  // namespace muster::lint

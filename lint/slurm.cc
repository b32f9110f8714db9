#include "lint/slurm.h"

#include <algorithm>

#include "lint/slurm_job.h"

namespace muster::lint {
namespace {

// A file in which nothing is an option to sbatch only writes scripts, or has its directives too late.
bool is_a_job(const slurm::Script& script) {
  const auto of_option = [](const slurm::Refusal& r) {
    return r.kind != slurm::RefusalKind::no_shebang && r.kind != slurm::RefusalKind::dos_line_ends;
  };
  return !script.directives.empty() || std::any_of(script.refusals.begin(), script.refusals.end(), of_option);
}

void check_one(const Context& context, const slurm::Script& script, const std::string& subject, Findings& out) {
  const slurm::Body body = slurm::read_body(context.sources, script);
  const slurm::Meaning meaning = slurm::meaning_of(script, body, {context.site, context.fleet, std::nullopt});
  const SlurmJob job{context, script, body, meaning, subject};
  if (is_unfilled(job, out)) return;
  if (!is_a_job(script)) return check_directives(job, out);
  check_refusals(job, out);
  check_directives(job, out);
  check_limits(job, out);
  check_processes(job, out);
  check_network(job, out);
  check_commands(job, out);
  check_training(job, out);
  check_secrets(job, out);
}

}  // namespace

const slurm::Directive* SlurmJob::directive(std::int32_t by) const {
  return by < 0 ? nullptr : &script.directives[static_cast<std::size_t>(by)];
}

Span SlurmJob::head() const {
  for (const slurm::Directive& d : script.directives)
    if (d.whole.file == script.file) return d.whole;
  const auto line_end =
      std::min<std::size_t>(sources().text(script.span).find('\n'), script.span.end - script.span.begin);
  return {script.file, script.span.begin, script.span.begin + static_cast<std::uint32_t>(line_end)};
}

Finding SlurmJob::about(Finding finding, std::string path) const {
  finding.subject = subject;
  finding.path = std::move(path);
  return finding;
}

Finding SlurmJob::at(RuleId rule, std::int32_t by, std::string message, std::string label) const {
  const slurm::Directive* d = directive(by);
  const bool in_file = d != nullptr && d->whole.file == script.file;
  Finding f = finding(rule, in_file ? d->whole : head(), std::move(message), in_file ? std::move(label) : "");
  if (d != nullptr && !in_file)
    f.labels.push_back({d->whole, label.empty() ? "on the command line" : std::move(label)});
  return about(std::move(f), d == nullptr ? "" : "--" + std::string(d->name));
}

Span whole_line(const Sources& sources, Span place) {
  const std::string_view text = sources.text(place.file);
  const std::size_t before = place.begin == 0 ? std::string_view::npos : text.rfind('\n', place.begin - 1);
  const std::size_t end = std::min(text.find('\n', place.begin), text.size() - 1) + 1;
  return {place.file, static_cast<std::uint32_t>(before + 1), static_cast<std::uint32_t>(end)};
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view program_of(const slurm::Launch& launch) {
  return launch.program.empty() ? std::string_view() : base_name(launch.program.front().text);
}

std::vector<Finding> check_script(const Context& context, std::uint32_t file, std::uint32_t command_line) {
  slurm::ScriptOptions options;
  options.command_line = command_line;
  if (context.site != nullptr)
    for (const model::Plane& plane : context.site->planes)
      if (plane.kind.value == model::PlaneKind::slurm && plane.version.span.known())
        options.version = plane.version.value;
  const slurm::Script script = slurm::read_script(context.sources, file, options);
  Findings out;
  if (script.batch || script.embedded.empty()) check_one(context, script, "job", out);
  for (std::size_t i = 0; i < script.embedded.size(); ++i)
    if (script.embedded[i].handed_over) check_one(context, script.embedded[i], "job " + std::to_string(i + 1), out);
  return out;
}

}  // namespace muster::lint

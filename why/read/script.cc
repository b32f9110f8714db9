// A job script: its directives, and which of its lines matter to what its log says.
#include "targets/slurm/read/script.h"
#include "compiler/base/text.h"
#include "why/read/read.h"

namespace muster::why {
namespace {

// "/usr/bin/python3: can't open …", "RuntimeError: …": what no command of a shell begins with.
bool says_something(std::string_view line) {
  const std::size_t end = line.find(": ");
  if (end == std::string_view::npos) return false;
  const std::string_view word = line.substr(0, end);
  return word.find_first_of(" =$'\"") == std::string_view::npos &&
         (word.find('/') != std::string_view::npos || word.ends_with("Error") || word.ends_with("Exception"));
}

// Whether an output begins here, below a script in one stream.
bool is_output(const Reading& reading, std::size_t at) {
  const std::string_view line = reading.text(at);
  if (line.empty()) return false;
  if (opens_slurm_output(line) || opens_kubectl_output(line) || line.starts_with("Traceback (most recent call last)"))
    return true;
  return at > 0 && reading.text(at - 1).empty() &&
         (line == "{" || says_something(line) || line.starts_with("apiVersion:") || line.starts_with("#!") ||
          line.find("/slurm_script: line ") != std::string_view::npos || line.starts_with("cat: "));
}

}  // namespace

std::size_t read_script(Reading& reading, std::size_t at) {
  const std::string_view first = reading.text(at);
  // A script is a file of its own, or what `cat job.sbatch` printed.
  std::size_t end = at;
  bool directives = false;
  if (!first.starts_with("#!") && !first.starts_with("#SBATCH")) return 0;
  if (reading.in_vain > Reading::most_in_vain) return 0;
  const std::string whole(reading.sources.text(reading.file));
  while (end < reading.lines.size() && !reading.is_command(end)) {
    // Without its first line only the directives are known to be a script: an output may be right below.
    if (!first.starts_with("#!") && !reading.text(end).starts_with("#")) break;
    if (end > at && is_output(reading, end)) break;
    directives |= reading.text(end).starts_with("#SBATCH");
    ++end;
  }
  if (!directives && !(first.starts_with("#!") && at == 0 && whole.starts_with("#!"))) return ++reading.in_vain, 0;
  std::string text;
  for (std::size_t i = at; i < end; ++i) text += reading.text(i), text += '\n';
  if (!first.starts_with("#!")) text = "#!/bin/sh\n" + text;
  const std::uint32_t skipped = first.starts_with("#!") ? 0 : 1;
  const std::string name = reading.sources.name(reading.file);
  const std::uint32_t part = reading.sources.add(name, text);
  const targets::slurm::Script script = targets::slurm::read_script(reading.sources, part);
  Object& out = reading.add(Kind::script, name, at);
  const std::uint32_t base = reading.lines[at].number;
  for (const targets::slurm::Directive& directive : script.directives)
    out.add(std::string(directive.name), directive.value.value_or(""),
            {reading.file, directive.line == 0 ? base : base + directive.line - 1 - skipped});
  for (const targets::slurm::Refusal& refusal : script.refusals) {
    if (refusal.kind == targets::slurm::RefusalKind::unknown_option)
      out.add("unknown-option", refusal.nearest, {reading.file, base});
  }
  for (std::size_t i = at; i < end; ++i) {
    const std::string_view line = trimmed(reading.text(i));
    if (line.starts_with("#")) continue;
    if (line.find("scontrol requeue") != std::string_view::npos)
      out.add("requeues-itself", "scontrol requeue", reading.place(i));
    if (line.starts_with("srun")) out.add("step", std::string(line), reading.place(i));
  }
  if (whole.find("\r\n") != std::string_view::npos) {
    std::size_t lines = 0;
    for (std::size_t found = whole.find("\r\n"); found != std::string_view::npos; found = whole.find("\r\n", found + 1))
      ++lines;
    out.add("dos-lines", std::to_string(lines), out.place);
  }
  reading.sources.forget(part);
  return end - at;
}

}  // namespace muster::why

// A script of PBS or LSF as `muster explain` shows one of Slurm.
#include "cli/explain_file.h"
#include "compiler/base/text.h"
#include "targets/lsf/read/import.h"
#include "targets/pbs/read/import.h"

namespace muster::cli {
namespace {

namespace batch = targets::batch;
namespace slurm = targets::slurm;

// nullopt: a value is at fault.
std::optional<slurm::RefusalKind> kind_of(batch::FaultKind kind) {
  switch (kind) {
    case batch::FaultKind::not_an_option:
    case batch::FaultKind::comment: return slurm::RefusalKind::stray_word;
    case batch::FaultKind::missing_value: return slurm::RefusalKind::missing_value;
    case batch::FaultKind::unknown_option: return slurm::RefusalKind::unknown_option;
    case batch::FaultKind::dos_line_ends: return slurm::RefusalKind::dos_line_ends;
    case batch::FaultKind::unmatched_quote: return slurm::RefusalKind::unmatched_quote;
    case batch::FaultKind::bad_value: break;
  }
  return std::nullopt;
}

slurm::IgnoredKind kind_of(batch::LateKind kind) {
  switch (kind) {
    case batch::LateKind::after_command: return slurm::IgnoredKind::after_command;
    case batch::LateKind::space_after_hash: return slurm::IgnoredKind::space_after_hash;
    case batch::LateKind::wrong_case: return slurm::IgnoredKind::wrong_case;
  }
  return slurm::IgnoredKind::after_command;
}

void add_fault(ReadScript& out, const batch::JobScript& script, const batch::Fault& fault) {
  if (const auto kind = kind_of(fault.kind))
    return void(out.script.refusals.push_back({*kind, fault.span, fault.message, {}, 0}));
  slurm::Conflict conflict{slurm::ConflictKind::bad_value, {}, fault.message};
  for (std::size_t i = 0; i < script.parts.size(); ++i)
    if (script.parts[i].span.begin <= fault.span.begin && fault.span.begin < script.parts[i].span.end)
      conflict.by = {static_cast<std::int32_t>(i)};
  out.meaning.conflicts.push_back(std::move(conflict));
}

ReadScript shown(const Sources& sources, batch::JobScript& script, batch::Asked asked) {
  const bool pbs = script.system == batch::System::pbs;
  const auto line_of = [&](Span span) { return sources.position(span.file, span.begin).line; };
  ReadScript out{script.text, std::move(asked.body), std::move(asked.meaning), script.system};
  out.script.batch = true;
  for (const batch::DirectivePart& p : script.parts) {
    slurm::Directive d;
    d.spelling = p.option;
    if (!p.flag) d.value = p.value;
    d.option = d.whole = p.span;
    d.line = line_of(p.span);
    out.script.directives.push_back(std::move(d));
  }
  for (const batch::Fault& fault : script.faults) add_fault(out, script, fault);
  for (const batch::LateLine& late : script.late)
    if (pbs || late.kind != batch::LateKind::after_command)  // bsub obeys it
      out.script.ignored.push_back({kind_of(late.kind), late.span, line_of(late.span), {}, {}});
  return out;
}

}  // namespace

std::optional<ReadScript> read_batch_script(const Sources& sources, std::uint32_t file) {
  const std::optional<batch::System> system = batch::system_of(sources.text(file));
  if (system == batch::System::lsf) {
    batch::JobScript script = targets::lsf::read_script(sources, file);
    batch::Asked asked = targets::lsf::asked_by(sources, script);
    return shown(sources, script, std::move(asked));
  }
  if (system != batch::System::pbs) return std::nullopt;
  targets::pbs::Script script = targets::pbs::read_script(sources, file);
  batch::Asked asked = targets::pbs::asked_by(sources, script);
  return shown(sources, script.job, std::move(asked));
}

}  // namespace muster::cli

#include "targets/slurm/lift/submitting.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/slurm/lift/statements.h"

namespace muster::targets::slurm {
namespace {

using namespace lifting;

// What the shell that writes a document replaces in it: `$name`, `$(…)`, a backtick, or a backslash before one.
std::optional<Span> filled_in(std::string_view text, Span document) {
  for (std::uint32_t at = document.begin; at + 1 < document.end; ++at) {
    const char c = text[at], next = text[at + 1];
    const bool variable =
        c == '$' && (is_name_char(next) || std::string_view("({@*#?$!-").find(next) != std::string_view::npos);
    const bool escape = c == '\\' && std::string_view("$`\\\n").find(next) != std::string_view::npos;
    if (!variable && !escape && c != '`') continue;
    std::uint32_t end = at + 2;
    while (end < document.end && is_name_char(text[end])) ++end;
    return Span{document.file, at, end};
  }
  return std::nullopt;
}

const Command* command_at(const Body& body, Span span) {
  const auto found = std::find_if(body.commands.begin(), body.commands.end(),
                                  [&](const Command& c) { return c.span.begin == span.begin; });
  return found == body.commands.end() ? nullptr : &*found;
}

bool holds(Span outer, Span inner) { return outer.begin <= inner.begin && inner.end <= outer.end; }

bool writes_document(const Script& file, const Command& c) {
  return std::any_of(file.embedded.begin(), file.embedded.end(),
                     [&](const Script& document) { return holds(c.span, document.submission); });
}

// `sbatch job.sh`: its options would be the job's.
bool only_submits(const Command& c) { return c.words.size() <= 2 && base_name(c.program()) == "sbatch"; }

}  // namespace

std::optional<NotOneJob> not_one_job(const Sources& sources, const Body& around, const Script& document) {
  const Command* command = command_at(around, document.submission);
  for (std::int32_t i = command == nullptr ? -1 : command->scope; i >= 0;
       i = around.scopes[static_cast<std::size_t>(i)].parent) {
    const Scope& scope = around.scopes[static_cast<std::size_t>(i)];
    if (scope.kind == ScopeKind::loop)
      return NotOneJob{"a loop writes it, so the file is for several jobs", scope.head};
    if (scope.kind == ScopeKind::branch) return NotOneJob{"only a branch of the file writes it", scope.head};
    if (scope.kind == ScopeKind::function) return NotOneJob{"a function of the file writes it", scope.head};
  }
  if (!document.expanded) return std::nullopt;
  const auto filled = filled_in(sources.text(document.file), document.span);
  if (!filled) return std::nullopt;
  return NotOneJob{"the shell that writes it replaces `" + std::string(sources.text(*filled)) + "`", *filled};
}

std::vector<ImportLine> lines_around(const Sources& sources, const Script& file, const Body& around) {
  std::vector<ImportLine> out;
  for (const Statement& s : statements_of(sources, around)) {
    const bool carried = std::all_of(s.commands.begin(), s.commands.end(), [&](std::uint32_t i) {
      return writes_document(file, around.commands[i]) || only_submits(around.commands[i]);
    });
    if (carried || s.kind == StatementKind::function) continue;
    const bool quiet = s.kind == StatementKind::noise || s.kind == StatementKind::options;
    out.push_back(
        {s.span,
         around.commands[s.first()].words.empty() ? "assignment" : std::string(around.commands[s.first()].program()),
         quiet ? Fate::dropped : Fate::lost,
         {},
         "it runs where the job is submitted, not in the job",
         true});
  }
  return out;
}

}  // namespace muster::targets::slurm

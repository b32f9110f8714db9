// GitHub: workflow commands, and a table in markdown.
#include <algorithm>

#include "compiler/base/ci_commands.h"
#include "compiler/base/text.h"
#include "lint/proposed.h"
#include "lint/report/common.h"
#include "lint/report/markup.h"

namespace muster::lint {
namespace {

constexpr std::size_t most_annotations = 10;  // of a level in one step: GitHub drops the rest
constexpr std::size_t markdown_budget = 60'000;

// As actions/toolkit escapes data, and properties with `:` and `,` as well. What else a terminal would obey is not
// shown: the lines are in a log that people read.
std::string command_text(std::string_view text, bool property) {
  constexpr std::size_t longest_line = 4'000;
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    for (const char c : safe_to_print(printable(text.substr(0, end), longest_line))) {
      if (c == '%') out += "%25";
      else if (property && c == ':') out += "%3A";
      else if (property && c == ',') out += "%2C";
      else out += c;
    }
    if (end < text.size()) out += text[end] == '\r' ? "%0D" : "%0A";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// Columns only where the finding ends on its first line: GitHub takes them for one line alone.
std::string annotation(const Finding& f, const Sources& sources) {
  const Position from = sources.position(f.primary.file, f.primary.begin);
  const Position to = sources.position(f.primary.file, f.primary.end);
  const bool notice = f.severity == Severity::info;
  std::string out = "::" + std::string(notice ? "notice" : severity_name(f.severity)) +
                    " file=" + command_text(sources.name(f.primary.file), true) + ",line=" + std::to_string(from.line) +
                    ",endLine=" + std::to_string(to.line);
  if (from.line == to.line) out += ",col=" + std::to_string(from.column) + ",endColumn=" + std::to_string(to.column);
  return out + ",title=" + command_text(title(about(f)), true) + "::" + command_text(full_text(f), false) + "\n";
}

// Nothing in it is markup, a mention, a reference or the end of a cell.
std::string cell(std::string_view text, std::size_t most = 200) { return markdown_text(printable(text, most), false); }

std::string row(const Finding& f, const Sources& sources) {
  const Position at = sources.position(f.primary.file, f.primary.begin);
  return "| " + std::string(severity_name(f.severity)) + " | " + cell(title(about(f))) + " | " +
         cell(sources.name(f.primary.file), 300) + " line " + std::to_string(at.line) + " | " + cell(f.message, 1'000) +
         " |\n";
}

// What the change adds to the suppressions that count, within so many bytes.
std::string added_list(const Outcome& outcome, std::size_t budget) {
  if (outcome.added.empty()) return {};
  std::string out = "\nThe change adds " + cell(count_added(outcome.added)) + " that " +
                    cell(outcome.policy_from, 200) + " does not have and that do not count:\n\n";
  std::size_t shown = 0;
  for (; shown < outcome.added.size(); ++shown) {
    const std::string line = "- " + cell(text_of(outcome.added[shown]), 600) + "\n";
    if (out.size() + line.size() > budget) break;
    out += line;
  }
  if (shown < outcome.added.size()) out += "- … and " + std::to_string(outcome.added.size() - shown) + " more\n";
  return out;
}

}  // namespace

std::string write_github(const View& view) {
  std::string out;
  std::size_t shown[2] = {0, 0}, left_out = 0;
  std::size_t notices = 1;  // the last line is one
  for (const Result* r : worst_first(view.outcome)) {
    const auto level = static_cast<std::size_t>(r->finding.severity);
    if (level < 2 && r->finding.primary.known() && shown[level]++ < most_annotations)
      out += annotation(r->finding, view.sources);
    else if (is_of(r->finding, RuleId::kind_not_checked) && notices++ < most_annotations)
      out += annotation(r->finding, view.sources);
    else ++left_out;
  }
  for (const Added& added : view.outcome.added)
    if (added.line > 0 && notices++ < most_annotations)
      out += "::notice file=" + command_text(added.file, true) + ",line=" + std::to_string(added.line) +
             ",title=suppression that does not count yet::" +
             command_text(text_of(added) + "\n`" + view.outcome.policy_from + "` does not have it", false) + "\n";
  const std::string rest = left_out == 0 ? "" : "; " + std::to_string(left_out) + " not shown here";
  return out + "::notice title=muster lint::" + command_text(summary(view.outcome) + rest, false) + "\n";
}

std::string write_markdown(const View& view) {
  std::string out = "### muster lint: " + cell(summary(view.outcome)) + "\n";
  const auto results = worst_first(view.outcome);
  if (!results.empty()) out += "\n| | rule | where | finding |\n|---|---|---|---|\n";
  std::size_t shown = 0;
  for (; shown < results.size(); ++shown) {
    const std::string line = row(results[shown]->finding, view.sources);
    if (out.size() + line.size() > markdown_budget) break;
    out += line;
  }
  if (shown < results.size()) out += "\n… and " + std::to_string(results.size() - shown) + " more.\n";
  out += added_list(view.outcome, markdown_budget + 4'000 - std::min(out.size(), markdown_budget));
  return safe_to_print(std::move(out));
}

}  // namespace muster::lint

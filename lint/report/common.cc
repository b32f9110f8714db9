#include "lint/report/common.h"

#include <algorithm>
#include <set>

#include "compiler/base/ci_commands.h"
#include "compiler/base/text.h"
#include "lint/proposed.h"

namespace muster::lint {

Json place_json(Span span, const Sources& sources) {
  if (!span.known()) return Json(nullptr);
  const Position from = sources.position(span.file, span.begin), to = sources.position(span.file, span.end);
  return Json{{"file", sources.name(span.file)}, {"line", from.line},   {"column", from.column}, {"end_line", to.line},
              {"end_column", to.column},         {"begin", span.begin}, {"end", span.end}};
}

std::string dump(const Json& json) {
  return safe_to_print(json.dump(1, ' ', false, Json::error_handler_t::replace), TextForm::json) + "\n";
}

std::string title(const Named& named) { return std::string(named.id) + " " + std::string(named.name); }

std::string full_text(const Finding& finding) {
  std::string out = finding.message;
  for (const std::string& note : finding.notes) out += "\n" + note;
  if (finding.fix) out += "\n" + finding.fix->title;
  return out;
}

std::vector<const Result*> worst_first(const Outcome& outcome) {
  std::vector<const Result*> out;
  for (const Result& r : outcome.results)
    if (counts_at(r, Severity::info)) out.push_back(&r);
  std::stable_sort(out.begin(), out.end(),
                   [](const Result* a, const Result* b) { return a->finding.severity < b->finding.severity; });
  return out;
}

std::string summary(const Outcome& outcome) {
  const Counts n = count(outcome);
  std::set<std::uint32_t> files;
  for (const Result& r : outcome.results)
    if (counts_at(r, Severity::info)) files.insert(r.finding.primary.file);
  std::string out;
  const auto add = [&](std::size_t many, const std::string& text) {
    if (many > 0) out += (out.empty() ? "" : ", ") + text;
  };
  add(n.errors, counted(static_cast<long long>(n.errors), "error"));
  add(n.warnings, counted(static_cast<long long>(n.warnings), "warning"));
  add(n.infos, counted(static_cast<long long>(n.infos), "remark"));
  const std::string read = counted(static_cast<long long>(outcome.files.size()), "file");
  out = out.empty() ? "nothing found in " + read : out + " in " + std::to_string(files.size()) + " of " + read;
  add(n.unclear, std::to_string(n.unclear) + " undetermined from the files alone");
  add(n.suppressed, std::to_string(n.suppressed) + " suppressed");
  add(n.known, std::to_string(n.known) + " known");
  add(outcome.added.size(), "adds " + count_added(outcome.added));
  add(outcome.elsewhere, std::to_string(outcome.elsewhere) + " outside the change");
  add(outcome.fixed, std::to_string(outcome.fixed) + " fixed");
  return out;
}

std::string clipped(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t end = limit - std::string_view("…").size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

namespace {

// How long the character at the beginning of valid UTF-8 is, if XML and HTML take it for none (U+FFFE and its like);
// else 0.
std::size_t noncharacter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  if (byte(0) == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE) return 3;
  if (byte(0) == 0xEF && byte(1) == 0xB7 && byte(2) >= 0x90 && byte(2) <= 0xAF) return 3;
  return byte(0) >= 0xF0 && (byte(1) & 0x0F) == 0x0F && byte(2) == 0xBF && byte(3) >= 0xBE ? 4 : 0;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t bad = first_invalid_utf8(text).value_or(text.size());
    for (std::size_t at = 0; at < bad; ++at) {
      const char c = text[at];
      if (const std::size_t none = noncharacter(text.substr(at, bad - at)); none > 0) {
        out += "\uFFFD";
        at += none - 1;
        continue;
      }
      if (c == '&') out += "&amp;";
      else if (c == '<') out += "&lt;";
      else if (c == '>') out += "&gt;";
      else if (c == '"') out += "&quot;";
      else if (c == '\n') out += "&#10;";
      else out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    if (bad < text.size()) out += "\uFFFD";
    text.remove_prefix(std::min(bad + 1, text.size()));
  }
  return safe_to_print(std::move(out), TextForm::xml);
}

}  // namespace muster::lint

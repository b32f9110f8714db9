#include "cli/render.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include <unistd.h>

namespace muster::cli {
namespace {

constexpr std::size_t shown_width = 160;  // of a source line

struct Paint {
  bool on;
  std::string operator()(const char* code, std::string text) const {
    return on ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
  }
};

// Control characters of the user's file must not reach the terminal; tabs become one space so that
// columns stay where they are.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) out.push_back(static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c);
  return out;
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// The first `n` code points of a text.
std::string_view prefix(std::string_view text, std::size_t n) {
  std::size_t i = 0;
  for (; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 && n-- == 0) break;
  return text.substr(0, i);
}

// The line of a span and an underline with the label beneath it.
std::string snippet(Span span, const std::string& label, char mark, const Sources& sources, const Paint& paint,
                    std::size_t gutter) {
  const Position p = sources.position(span.file, span.begin);
  const std::string number = std::to_string(p.line);
  const std::string bar = std::string(gutter, ' ') + " | ";
  const std::string_view whole = sources.line(span.file, p.line);
  const std::size_t skipped =
      p.column > shown_width ? p.column - shown_width / 2 : 0;  // long lines are cut around the place
  const std::string_view line = prefix(whole.substr(prefix(whole, skipped).size()), shown_width);
  const std::string_view marked = sources.text(span).substr(0, sources.text(span).find('\n'));
  const std::size_t column = p.column - 1 - skipped;
  const std::size_t length = std::min(std::max<std::size_t>(1, code_points(marked)),
                                      std::max<std::size_t>(1, shown_width - std::min(column, shown_width - 1)));
  std::string out = std::string(gutter - number.size(), ' ') + number + " | " + printable(line) + "\n";
  return out + bar + std::string(column, ' ') +
         paint(mark == '^' ? "31;1" : "34;1", std::string(length, mark) + (label.empty() ? "" : " " + label)) + "\n";
}

std::size_t gutter_of(const Diagnostic& d, const Sources& sources) {
  std::size_t most = sources.position(d.primary.file, d.primary.begin).line;
  for (const Label& label : d.labels)
    if (label.span.known())
      most = std::max<std::size_t>(most, sources.position(label.span.file, label.span.begin).line);
  return std::to_string(most).size();
}

// The reason, and the replacement where the reason does not spell it.
std::string help(const FixIt& fix) {
  if (fix.why.empty()) return fix.text.empty() ? "delete it" : "write `" + fix.text + "`";
  const bool shown =
      fix.text.find_first_not_of(" \t") == std::string::npos || fix.why.find(fix.text) != std::string::npos;
  return shown ? fix.why : fix.why + ": `" + fix.text + "`";
}

}  // namespace

std::string render_human(const Diagnostic& d, const Sources& sources, bool colour) {
  const Paint paint{colour};
  const bool error = d.severity() == Severity::error;
  std::string out = paint(error ? "31;1" : "33;1",
                          std::string(severity_name(d.severity())) + "[" + std::string(info(d.code).id) + "]") +
                    ": " + paint("1", printable(d.message)) + "\n";
  std::size_t gutter = 1;
  if (d.primary.known()) {
    gutter = gutter_of(d, sources);
    out += std::string(gutter, ' ') + "--> " + sources.place(d.primary) + "\n" +
           snippet(d.primary, d.primary_label, '^', sources, paint, gutter);
  }
  for (const Label& label : d.labels) {
    if (!label.span.known()) continue;
    if (label.span.file != d.primary.file) out += std::string(gutter, ' ') + "::: " + sources.place(label.span) + "\n";
    out += snippet(label.span, label.text, '-', sources, paint,
                   std::max(gutter, std::to_string(sources.position(label.span.file, label.span.begin).line).size()));
  }
  for (const std::string& note : d.notes) out += std::string(gutter, ' ') + " = note: " + printable(note) + "\n";
  for (const FixIt& fix : d.fixes) out += std::string(gutter, ' ') + " = help: " + printable(help(fix)) + "\n";
  return out + "\n";
}

std::string render_short(const Diagnostic& d, const Sources& sources) {
  const std::string place = d.primary.known() ? sources.place(d.primary) + ": " : "muster: ";
  return place + std::string(severity_name(d.severity())) + ": " + printable(d.message) + " [" +
         std::string(info(d.code).id) + "]\n";
}

std::string render_json(const Diagnostic& d, const Sources& sources) {
  using Json = nlohmann::ordered_json;
  const auto place = [&](Span span) {
    if (!span.known()) return Json(nullptr);
    const Position from = sources.position(span.file, span.begin), to = sources.position(span.file, span.end);
    return Json{
        {"file", sources.name(span.file)}, {"line", from.line},   {"column", from.column}, {"end_line", to.line},
        {"end_column", to.column},         {"begin", span.begin}, {"end", span.end}};
  };
  Json out = {{"code", info(d.code).id}, {"name", info(d.code).name}, {"severity", severity_name(d.severity())},
              {"message", d.message},    {"at", place(d.primary)},    {"label", d.primary_label}};
  out["labels"] = Json::array();
  for (const Label& label : d.labels) out["labels"].push_back({{"at", place(label.span)}, {"text", label.text}});
  out["notes"] = d.notes;
  out["fixes"] = Json::array();
  for (const FixIt& fix : d.fixes)
    out["fixes"].push_back({{"at", place(fix.where)}, {"text", fix.text}, {"why", help(fix)}, {"sure", fix.sure}});
  // User bytes that are not UTF-8 cannot stand in JSON: they are replaced, not fatal.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool colour_wanted(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  return (no_colour == nullptr || *no_colour == '\0') && isatty(fileno(stream)) != 0;
}

int exit_code(Code code) {
  switch (code) {
    case Code::no_pool:
    case Code::no_plane:
    case Code::does_not_fit:
    case Code::target_refuses:
    case Code::target_not_written: return 1;
    case Code::field_not_carried:
    case Code::not_preserved: return 3;
    default: return 2;
  }
}

}  // namespace muster::cli

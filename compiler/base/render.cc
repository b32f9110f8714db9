#include "compiler/base/render.h"

#include <algorithm>

#include "compiler/base/secret_scan.h"
#include "compiler/base/text.h"

namespace muster {
namespace {

constexpr std::size_t shown_width = 160;  // of a source line

struct Paint {
  bool on;
  std::string operator()(const char* code, std::string text) const {
    return on ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
  }
};

// What a terminal would obey, and what turns the order of a line, must not reach it from the user's file. Tabs become
// one space, and each character, broken ones among them, stays one: columns stay where they are.
std::string on_screen(std::string_view text) {
  std::string out;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    for (end = at + 1; end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80;) ++end;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x20 || byte == 0x7F) out += ' ';
    else if (byte < 0x80) out += text[at];
    else if (first_invalid_utf8(text.substr(at, end - at))) out += (byte & 0xC0) == 0x80 ? "" : "?";
    else out += printable(text.substr(at, end - at));
  }
  return out;
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

// The first `n` code points of a text.
std::string_view prefix(std::string_view text, std::size_t n) {
  std::size_t i = 0;
  for (; i < text.size(); ++i)
    if (begins_character(text[i]) && n-- == 0) break;
  return text.substr(0, i);
}

// A line up to where its first value begins: a secret seldom comes alone. What is marked is one, or the name of one.
std::string without_values(std::string_view line, std::size_t at, std::size_t size) {
  const auto is_separator = [&](std::size_t i) { return i < line.size() && (line[i] == '=' || line[i] == ':'); };
  std::size_t from = std::min(line.find_first_of("=:\"'"), line.size());
  if (from > at && !is_separator(line.find_first_not_of(' ', at + size)))
    from = std::min(at, line.find(' ', line.find_first_not_of(' ')));
  if (is_separator(from)) ++from;
  std::string out(line.substr(0, from));
  for (const char c : line.substr(from))
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) out += c == ' ' ? ' ' : '*';
  return out;
}

// The line of a span and an underline with the label beneath it.
std::string snippet(Span span, std::string_view label, char mark, const Sources& sources, const Paint& paint,
                    std::size_t gutter, bool secret = false) {
  const Position p = sources.position(span.file, span.begin);
  const std::string number = std::to_string(p.line);
  const std::string bar = std::string(gutter, ' ') + " | ";
  const std::string_view whole = sources.line(span.file, p.line);
  // Long lines are cut around the place: some characters in front of it stay.
  std::size_t begin = 0, column = p.column - 1;
  if (p.column > shown_width) {
    begin = static_cast<std::size_t>(sources.text(span).data() - whole.data());
    for (column = 0; begin > 0 && column + 1 < shown_width / 2;) column += begins_character(whole[--begin]);
  }
  const std::string_view line = prefix(whole.substr(begin), shown_width);
  std::string_view marked = sources.text(span).substr(0, 4 * shown_width);
  marked = marked.substr(0, marked.find('\n'));
  const std::size_t length = std::min(std::max<std::size_t>(1, code_points(marked)),
                                      std::max<std::size_t>(1, shown_width - std::min(column, shown_width - 1)));
  const std::string_view file = sources.text(span.file);
  const auto from = static_cast<std::size_t>(line.data() - file.data());
  std::string shown = on_screen(mask_part(file, from, from + line.size()));
  if (secret) {
    const std::size_t at = prefix(shown, column).size();
    shown = without_values(shown, at, prefix(std::string_view(shown).substr(at), length).size());
  }
  std::string out = std::string(gutter - number.size(), ' ') + number + " | " + shown + "\n";
  return out + bar + std::string(column, ' ') +
         paint(mark == '^' ? "31;1" : "34;1",
               std::string(length, mark) + (label.empty() ? "" : " " + on_screen(label))) +
         "\n";
}

std::size_t gutter_of(const Notice& notice, const Sources& sources) {
  std::size_t most = sources.position(notice.primary.file, notice.primary.begin).line;
  for (const Label& label : notice.labels)
    if (label.span.known())
      most = std::max<std::size_t>(most, sources.position(label.span.file, label.span.begin).line);
  return std::to_string(most).size();
}

// A file may be called anything.
std::string shown_place(Span span, const Sources& sources) { return on_screen(sources.place(span)); }

}  // namespace

std::string render_human(const Notice& notice, const Sources& sources, bool colour) {
  const Paint paint{colour};
  const char* colours[] = {"31;1", "33;1", "36;1"};
  std::string out = paint(colours[static_cast<int>(notice.severity)],
                          std::string(severity_name(notice.severity)) + "[" + notice.id + "]") +
                    ": " + paint("1", on_screen(notice.message)) + "\n";
  std::size_t gutter = 1;
  if (notice.primary.known()) {
    gutter = gutter_of(notice, sources);
    out += std::string(gutter, ' ') + "--> " + shown_place(notice.primary, sources) + "\n" +
           snippet(notice.primary, notice.primary_label, '^', sources, paint, gutter, notice.secret);
  }
  for (const Label& label : notice.labels) {
    if (!label.span.known()) continue;
    if (label.span.file != notice.primary.file)
      out += std::string(gutter, ' ') + "--> " + shown_place(label.span, sources) + "\n";
    out += snippet(label.span, label.text, '-', sources, paint,
                   std::max(gutter, std::to_string(sources.position(label.span.file, label.span.begin).line).size()));
  }
  for (const std::string& note : notice.notes) out += std::string(gutter, ' ') + " = note: " + on_screen(note) + "\n";
  for (const std::string& help : notice.helps) out += std::string(gutter, ' ') + " = help: " + on_screen(help) + "\n";
  return out + "\n";
}

std::string render_short(const Notice& notice, const Sources& sources) {
  const std::string place = notice.primary.known() ? shown_place(notice.primary, sources) + ": " : "muster: ";
  return place + std::string(severity_name(notice.severity)) + ": " + on_screen(notice.message) + " [" + notice.id +
         "]\n";
}

}  // namespace muster


#include "compiler/base/text.h"
#include "lint/report/markup.h"
#include "review/markdown.h"
#include "review/wording.h"

namespace muster::review {
namespace {

// For code between backticks: nothing in it is read but the backtick, and in tables `|`.
std::string without_ticks(std::string text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += "\\|";
    else out += c == '`' ? '\'' : c;
  }
  return out;
}

// What a key may be in a comment: nothing that ends it, and no more than 200 characters.
std::string key_text(std::string_view key) {
  constexpr std::size_t longest = 200;
  constexpr const char* digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    const bool twice = c == '-' && !out.empty() && out.back() == '-';
    if (is_alnum(c) || c == '.' || c == '/' || c == '_' || (c == '-' && !twice)) out += c;
    else (out += '%') += {digits[byte >> 4], digits[byte & 15]};
  }
  out.resize(std::min(out.size(), longest));
  return out.empty() ? "." : out;
}

}  // namespace

Extent extent_of(std::string_view text) {
  Extent out{0, text.size()};
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out.characters += (byte & 0xC0) != 0x80;  // a character's first byte
    out.characters += byte >= 0xF0;           // two units
  }
  return out;
}

std::string Dialect::code(std::string_view text, std::size_t most) const {
  if (text.empty()) return "–";
  const std::string shown = printable(text, most);
  return html_ ? "<code>" + lint::markdown_text(shown, true) + "</code>" : "`" + without_ticks(shown) + "`";
}

std::string Dialect::value(std::string_view text, std::size_t most) const {
  const auto is_word = [](char c) { return is_alnum(c) || c == '-' || c == ' '; };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool number = (text[at] == '.' || text[at] == ',') && at > 0 && is_digit(text[at - 1]);
    if (!is_word(text[at]) && !number && text.substr(at, 2) != ", ") return code(text, most);
  }
  return text.empty() || text.size() > most ? code(text, most) : std::string(text);
}

std::string Dialect::message(std::string_view text, std::size_t most) const {
  std::string out;
  for (const Part& part : parts_of(text, most))
    out += part.code ? code(part.text, part.text.size()) : lint::markdown_text(part.text, false);
  return out;
}

std::string Dialect::marker(std::string_view key, bool unchanged) const {
  const std::string text = "muster:review v1 key=" + key_text(key) + (unchanged ? " unchanged" : "");
  return html_ ? "<!-- " + text + " -->\n" : "[//]: # (" + text + ")\n";
}

std::string Dialect::folded(const std::string& title, const std::string& body) const {
  if (!html_) return "**" + title + "**\n" + body + "\n";
  return "<details><summary>" + title + "</summary>\n\n" + body + "</details>\n";
}

std::string Dialect::small(const std::string& text) const { return html_ ? "<sub>" + text + "</sub>\n" : text + "\n"; }

}  // namespace muster::review

#include "compiler/base/ci_commands.h"

#include <algorithm>

#include "compiler/base/secret.h"
#include "compiler/base/text.h"

namespace muster {
namespace {

// What .NET trims in front of a line, besides ASCII.
constexpr std::string_view wide_spaces[] = {"\u0085", "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
                                            "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A",
                                            "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"};

// Behind the spaces of a line that begins at `at`.
std::size_t behind_spaces(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f') {
      ++at;
      continue;
    }
    const auto wide = std::find_if(std::begin(wide_spaces), std::end(wide_spaces),
                                   [&](std::string_view space) { return text.substr(at).starts_with(space); });
    if (wide == std::end(wide_spaces)) return at;
    at += wide->size();
  }
  return at;
}

// Whether `##` at this place begins a command: a name, or none, and `[`.
bool begins_command(std::string_view text, std::size_t at) {
  for (at += 2; at < text.size() && (is_alnum(static_cast<unsigned char>(text[at])) || text[at] == '-');) ++at;
  return at < text.size() && text[at] == '[';
}

// Two equal characters, apart.
std::string_view apart(char c, TextForm form) {
  if (form == TextForm::plain) return c == '#' ? "# #" : ": :";
  if (form == TextForm::json) return c == '#' ? "#\\u0023" : ":\\u003a";
  return c == '#' ? "#&#35;" : ":&#58;";
}

}  // namespace

std::string without_ci_commands(std::string text, TextForm form) {
  if (text.find("##") == text.npos && text.find("::") == text.npos) return text;
  const std::string_view whole = text;
  std::string out;
  std::size_t command = behind_spaces(whole, 0);  // where one of this line would begin
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const bool pair = at + 1 < whole.size() && whole[at + 1] == whole[at];
    const bool hashes = pair && whole[at] == '#' && begins_command(whole, at);
    if (hashes || (pair && whole[at] == ':' && at == command)) {
      out += apart(whole[at], form);
      ++at;
    } else {
      out += whole[at];
    }
    if (whole[at] == '\n' || whole[at] == '\r') command = behind_spaces(whole, at + 1);
  }
  return out;
}

namespace {

struct Hidden {
  std::size_t size = 0;  // in bytes; 0: the character may be printed
  std::uint32_t code = 0;
};

Hidden hidden_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  if (byte(0) < 0x20 || byte(0) == 0x7F) {
    const bool shown = byte(0) == '\n' || byte(0) == '\t' || (byte(0) == '\r' && byte(1) == '\n');
    return {shown ? 0u : 1u, byte(0)};
  }
  if (byte(0) < 0xC2) return {};
  const std::uint32_t two = (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return {2, two};
  if (byte(0) == 0xD8 && byte(1) == 0x9C) return {2, two};  // U+061C
  if (byte(0) != 0xE2 || (byte(1) != 0x80 && byte(1) != 0x81)) return {};
  const std::uint32_t code = 0x2000 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  const bool turns =
      code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return {turns ? 3u : 0u, code};
}

// The length of `ESC [ 1;31 m` at this place; 0: it is none.
std::size_t colour_at(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", at + 2);
  return end < text.size() && text[end] == 'm' ? end + 1 - at : 0;
}

}  // namespace

bool has_hidden(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (hidden_at(text, at).size > 0) return true;
  return false;
}

std::string without_hidden(std::string text, bool coloured) {
  if (!has_hidden(text)) return text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Hidden hidden = hidden_at(text, at);
    const std::size_t colour = coloured ? colour_at(text, at) : 0;
    if (hidden.size == 0 || colour > 0) {
      out.append(text, at, std::max<std::size_t>(colour, 1));
      at += std::max<std::size_t>(colour, 1);
      continue;
    }
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += "0123456789abcdef"[hidden.code >> shift & 15];
    at += hidden.size;
  }
  return out;
}

std::string safe_to_print(std::string text, TextForm form, bool coloured) {
  return without_hidden(without_ci_commands(mask_tokens(std::move(text)), form), coloured);
}

}  // namespace muster

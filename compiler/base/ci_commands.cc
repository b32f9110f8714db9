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

std::string safe_to_print(std::string text, TextForm form) {
  return without_ci_commands(mask_tokens(std::move(text)), form);
}

}  // namespace muster

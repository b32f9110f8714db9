#include "lint/report/markup.h"

#include "compiler/base/text.h"

namespace muster::lint {
namespace {

// Characters that no host reads anything into where they stand: a point but behind `www`, a colon but in front of an
// address or an emoji's name.
bool is_harmless(std::string_view text, std::size_t at) {
  const char c = text[at], next = at + 1 < text.size() ? text[at + 1] : ' ';
  if (is_alnum(c) || c <= ' ' || c >= 0x7F) return true;
  if (c == '.') return at < 3 || lower(text.substr(at - 3, 3)) != "www";
  if (c == ':') return next == ' ' || is_digit(next);
  return std::string_view("/-,=()+;%").find(c) != std::string_view::npos;
}

}  // namespace

std::string markdown_text(std::string_view text, bool in_code) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_harmless(text, at)) {
      out += c;
      continue;
    }
    out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    if (!in_code && std::string_view("@#!:&$~").find(c) != std::string_view::npos) out += "&#8203;";
  }
  return out;
}

}  // namespace muster::lint

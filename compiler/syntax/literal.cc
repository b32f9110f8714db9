#include "compiler/syntax/literal.h"

#include <cctype>

#include "compiler/base/text.h"
#include "compiler/base/units.h"

namespace muster::syntax {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  }
}

// Reads `u{1F600}` after the backslash; returns how many bytes it took, 0 if it is malformed.
std::size_t unicode_escape(std::string_view rest, std::string& out) {
  if (!rest.starts_with("u{")) return 0;
  std::uint32_t code = 0;
  std::size_t i = 2;
  for (; i < rest.size() && std::isxdigit(static_cast<unsigned char>(rest[i])) && i < 9; ++i) {
    const char c = to_lower(rest[i]);
    code = code * 16 + static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (i == 2 || i >= rest.size() || rest[i] != '}' || code == 0 || code > 0x10FFFF || surrogate) return 0;
  append_utf8(out, code);
  return i + 1;
}

// Appends what the escape after a backslash means; returns the bytes it took, 0 if unknown.
std::size_t escape(std::string_view rest, std::string& out) {
  if (rest.empty()) return 0;
  switch (rest[0]) {
    case '\\':
    case '"':
    case '$': out.push_back(rest[0]); return 1;
    case 'n': out.push_back('\n'); return 1;
    case 't': out.push_back('\t'); return 1;
    case 'r': out.push_back('\r'); return 1;
    default: return unicode_escape(rest, out);
  }
}

// `$NAME` without braces.
bool begins_name(std::string_view rest) { return rest.size() > 1 && rest[0] == '$' && is_name_start(rest[1]); }

}  // namespace

ast::Expr decode_text(std::string_view spelling, Span span, Diagnostics& diagnostics) {
  ast::Expr out;
  out.kind = ast::Expr::Kind::text;
  out.span = span;
  const std::string_view inside = spelling.substr(1, spelling.size() - 2);
  const auto place = [&](std::size_t at, std::size_t length) {
    const auto begin = static_cast<std::uint32_t>(span.begin + 1 + at);
    return Span{span.file, begin, begin + static_cast<std::uint32_t>(length)};
  };
  for (std::size_t i = 0; i < inside.size();) {
    if (inside[i] == '\\') {
      const std::size_t taken = escape(inside.substr(i + 1), out.text);
      if (taken == 0)
        diagnostics
            .add(Code::bad_escape, place(i, 2), "unknown escape `" + std::string(inside.substr(i, 2)) + "`", "here")
            .fixes.push_back({place(i, 1), "\\\\", "write a literal backslash as `\\\\`", false});
      i += 1 + (taken == 0 ? 1 : taken);
    } else if (inside.substr(i).starts_with("${")) {
      const std::size_t close = inside.find('}', i);
      const std::size_t end = close == std::string_view::npos ? inside.size() : close;
      ast::Expr variable;
      variable.kind = ast::Expr::Kind::variable;
      variable.text = inside.substr(i + 2, end - i - 2);
      variable.span = place(i, std::min(end + 1, inside.size()) - i);
      variable.at = static_cast<std::uint32_t>(out.text.size());
      out.operands.push_back(std::move(variable));
      i = std::min(end + 1, inside.size());
    } else {
      if (out.at == 0 && begins_name(inside.substr(i))) out.at = static_cast<std::uint32_t>(out.text.size() + 1);
      out.text.push_back(inside[i++]);
    }
  }
  return out;
}

std::string decode_heredoc(const std::vector<Span>& lines, std::string_view indent, const Sources& sources,
                           Diagnostics& diagnostics) {
  std::string out;
  for (const Span& span : lines) {
    std::string_view line = sources.text(span);
    if (!line.ends_with('\n')) {  // it would become a line end and change the script
      diagnostics.add(Code::unexpected_character, {span.file, span.end, span.end + 1},
                      "a line of the heredoc contains a carriage return");
      break;
    }
    line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool blank = line.find_first_not_of(" \t") == std::string_view::npos;
    if (line.starts_with(indent)) {
      line.remove_prefix(indent.size());
    } else if (blank) {
      line = {};
    } else {
      const std::size_t own = std::min(line.find_first_not_of(" \t"), line.size());
      diagnostics
          .add(Code::heredoc_indent,
               {span.file, span.begin, span.begin + static_cast<std::uint32_t>(std::max<std::size_t>(own, 1))},
               "this line is indented less than the closing `>>>`", "indent it like the closing `>>>`")
          .fixes.push_back({{span.file, span.begin, span.begin + static_cast<std::uint32_t>(own)},
                            std::string(indent),
                            "indent the line",
                            false});
      break;
    }
    out.append(line).push_back('\n');
  }
  return out;
}

std::string canonical_quantity(std::string_view spelling) {
  std::string out(spelling);
  if (out.ends_with('i') && std::holds_alternative<Quantity>(parse_quantity(out))) out.push_back('B');
  return out;
}

}  // namespace muster::syntax

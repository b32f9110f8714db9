#include "compiler/data/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "compiler/base/text.h"
#include "compiler/data/read.h"

namespace muster::data {
namespace {

constexpr std::string_view blanks = " \t", space = " \t\r\n", digits = "0123456789";

std::size_t skip(std::string_view text, std::size_t at, std::string_view set) {
  return std::min(text.find_first_not_of(set, at), text.size());
}

std::size_t line_end(std::string_view text, std::size_t at) { return std::min(text.find('\n', at), text.size()); }

std::size_t quoted_end(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 >= text.size() || text[i + 1] != '\'') return i + 1;
      ++i;
    }
  }
  return text.size();
}

// A plain scalar may be folded over lines: its words are in the text as in the value.
std::size_t plain_end(std::string_view text, std::size_t at, std::string_view value) {
  if (!value.empty() && !is_space(value.back()) && text.substr(at).starts_with(value)) return at + value.size();
  std::size_t end = at;
  for (const char c : value) {
    if (space.find(c) != std::string_view::npos) continue;
    end = skip(text, end, space);
    if (end >= text.size() || text[end] != c) break;
    ++end;
  }
  return end;
}

// A block scalar ends before the first line that is not blank and indented less than its first one.
std::size_t block_end(std::string_view text, std::size_t at, int parent_column) {
  const std::size_t header = line_end(text, at);
  const std::size_t digit = text.substr(0, header).find_first_of("123456789", at + 1);
  const std::size_t comment = text.substr(0, header).find('#', at);
  std::size_t indent = std::string_view::npos;
  if (digit < comment) indent = static_cast<std::size_t>(std::max(parent_column, 0)) + (text[digit] - '0');
  std::size_t end = header;
  for (std::size_t line = header + 1; line < text.size(); line = line_end(text, line) + 1) {
    const std::size_t first = skip(text, line, " ");
    const bool blank = first >= text.size() || text[first] == '\n' || text[first] == '\r';
    if (!blank) {
      if (indent == std::string_view::npos) indent = first - line;
      const bool outside = static_cast<int>(first - line) <= parent_column;
      if (first - line < indent || outside) break;
      end = line_end(text, line);
    }
  }
  return end > at && end <= text.size() && text[end - 1] == '\r' ? end - 1 : end;
}

bool all_of(std::string_view text, std::string_view set) {
  return !text.empty() && text.find_first_not_of(set) == std::string_view::npos;
}

// Go's strconv.ParseInt(text, 0, 64) without the sign and the underscores.
bool is_integer(std::string_view text) {
  if (text.size() > 2 && text[0] == '0') {
    if (text[1] == 'x' || text[1] == 'X') return all_of(text.substr(2), "0123456789abcdefABCDEF");
    if (text[1] == 'o' || text[1] == 'O') return all_of(text.substr(2), "01234567");
    if (text[1] == 'b' || text[1] == 'B') return all_of(text.substr(2), "01");
  }
  if (text.size() > 1 && text[0] == '0') return all_of(text, "01234567");
  return all_of(text, digits);
}

// go-yaml's (\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool is_float(std::string_view text) {
  const std::size_t whole = skip(text, 0, digits);
  std::size_t at = whole;
  if (at < text.size() && text[at] == '.') at = skip(text, at + 1, digits);
  if (at == 0 || (whole == 0 && at == 1)) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  text.remove_prefix(at + 1);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return all_of(text, digits);
}

}  // namespace

std::size_t after_space(std::string_view text, std::size_t at) {
  for (;;) {
    at = skip(text, at, space);
    if (at >= text.size() || text[at] != '#') return at;
    at = line_end(text, at);
  }
}

std::size_t after_properties(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '!' || text[at] == '&'))
    at = after_space(text, std::min(text.find_first_of(" \t\r\n,[]{}", at), text.size()));
  return at;
}

Extent scalar_extent(std::string_view text, std::size_t at, std::string_view value, int parent_column) {
  const std::size_t begin = after_properties(text, at);
  if (begin >= text.size()) return {text.size(), text.size()};
  if (text[begin] == '"' || text[begin] == '\'') return {begin, quoted_end(text, begin)};
  if (text[begin] == '|' || text[begin] == '>') return {begin, block_end(text, begin, parent_column)};
  return {begin, plain_end(text, begin, value)};
}

std::string with_whole_escapes(std::string value) {
  std::size_t at = 0;
  for (auto bad = first_invalid_utf8(value); bad; bad = first_invalid_utf8(std::string_view(value).substr(at))) {
    value.insert(at + *bad, 1, '\xC2');
    at += *bad + 2;
  }
  return value;
}

Node::Kind plain_kind(std::string_view scalar) {
  static constexpr std::array<std::string_view, 22> booleans{
      "y", "Y", "yes", "Yes", "YES", "true",  "True",  "TRUE",  "on",  "On",  "ON",
      "n", "N", "no",  "No",  "NO",  "false", "False", "FALSE", "off", "Off", "OFF"};
  static constexpr std::array<std::string_view, 9> specials{".nan", ".NaN",  ".NAN",  ".inf", ".Inf",
                                                            ".INF", "+.inf", "-.inf", "+.Inf"};
  if (scalar.empty() || scalar == "~" || scalar == "null" || scalar == "Null" || scalar == "NULL")
    return Node::Kind::null;
  constexpr std::size_t longest = 5;  // of those words
  if (scalar.size() <= longest) {
    if (std::find(booleans.begin(), booleans.end(), scalar) != booleans.end()) return Node::Kind::boolean;
    if (std::find(specials.begin(), specials.end(), scalar) != specials.end()) return Node::Kind::number;
  }
  if (scalar.find_first_of(digits) == std::string_view::npos) return Node::Kind::text;
  std::string plain(scalar);
  std::erase(plain, '_');
  std::string_view unsigned_part = plain;
  if (unsigned_part.starts_with('-') || unsigned_part.starts_with('+')) unsigned_part.remove_prefix(1);
  if (is_integer(unsigned_part)) return Node::Kind::integer;
  return is_float(unsigned_part) ? Node::Kind::number : Node::Kind::text;
}

}  // namespace muster::data

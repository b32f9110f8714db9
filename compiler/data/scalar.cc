#include "compiler/data/scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "compiler/base/text.h"
#include "compiler/data/read.h"

namespace muster::data {
namespace {

using K = Node::Kind;

constexpr std::string_view digits = "0123456789", of_yaml = "tag:yaml.org,2002:";

template <std::size_t n>
bool is_in(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 11> words_of_true{"y",    "Y",    "yes", "Yes", "YES", "true",
                                                         "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> words_of_false{"n",     "N",     "no",  "No",  "NO", "false",
                                                          "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> words_of_null{"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> not_finite{".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF",
                                                      "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};

// Go's strconv.ParseInt and ParseUint with base 0: `0x`, `0o`, `0b`, and a leading 0 is octal.
std::optional<std::string> whole(std::string_view text) {
  const bool negative = text.starts_with('-'), sign = negative || text.starts_with('+');
  if (sign) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && std::string_view("xXoObB").find(text[1]) != std::string_view::npos) {
    base = (text[1] | 0x20) == 'x' ? 16 : (text[1] | 0x20) == 'o' ? 8 : 2;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (sign && value > most + (negative ? 1 : 0)) return std::nullopt;
  return (negative && value > 0 ? "-" : "") + std::to_string(value);
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool is_float(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto skip = [&](std::size_t from) { return std::min(text.find_first_not_of(digits, from), text.size()); };
  const std::size_t before = skip(0);
  std::size_t at = before;
  if (at < text.size() && text[at] == '.') at = skip(at + 1);
  if (at == 0 || (before == 0 && at == 1)) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  text.remove_prefix(at + 1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && skip(0) == text.size();
}

std::optional<double> parsed(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc()) return value;
  // Out of range: what is too small is 0 to Go, what is too large no number.
  value = std::strtod(std::string(text).c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return value;
}

// The fewest digits that give the float back, at their places: 1.5e3 is 1500.
template <class Float>
std::string in_full(Float value) {
  char out[64];
  std::string text(out, std::to_chars(out, out + sizeof out, value, std::chars_format::scientific).ptr);
  const std::string sign = text.starts_with('-') ? "-" : "";
  const std::size_t e = text.find('e');
  const int exponent = std::atoi(text.c_str() + e + 1);
  text = text.substr(sign.size(), e - sign.size());
  std::erase(text, '.');
  if (exponent < 0) return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + text;
  const auto whole_digits = static_cast<std::size_t>(exponent) + 1;
  if (text.size() <= whole_digits) return sign + text + std::string(whole_digits - text.size(), '0');
  return sign + text.insert(whole_digits, ".");
}

// As Go's encoding/json writes a float64.
std::string as_json(double value) {
  const double size = std::fabs(value);
  if (size == 0 || (size >= 1e-6 && size < 1e21)) return in_full(value);
  char out[64];
  std::string text(out, std::to_chars(out, out + sizeof out, value, std::chars_format::scientific).ptr);
  const std::size_t exponent = text.find("e-0");
  if (exponent != std::string::npos) text.erase(exponent + 2, 1);
  return text;
}

Scalar number_of(double value) {
  std::string text = as_json(value);
  const bool is_whole = text.size() < 19 && text != "-0" && text.find_first_of(".e") == std::string::npos;
  return {is_whole ? K::integer : K::number, std::move(text), true};
}

// Go's rule for numbers that begin with a point: an underscore is between digits.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') out += text[i];
    else if (i == 0 || !is_digit(text[i - 1]) || i + 1 == text.size() || !is_digit(text[i + 1])) return std::nullopt;
  }
  return out;
}

std::optional<Scalar> number(std::string_view spelling) {
  std::string plain(spelling);
  if (spelling[0] == '.') {
    const auto joined = without_underscores(spelling);
    if (!joined) return std::nullopt;
    plain = *joined;
  } else {
    std::erase(plain, '_');
    if (auto value = whole(plain)) return Scalar{K::integer, std::move(*value)};
  }
  const auto value = is_float(plain) ? parsed(plain) : std::nullopt;
  return value ? std::optional(number_of(*value)) : std::nullopt;
}

// `2001-12-14`, `2001-12-14t21:59:43.10-05:00`, `2001-12-14 21:59:43.10`.
bool is_timestamp(std::string_view text) {
  const auto take = [&](std::size_t least, std::size_t most, int low, int high) {
    const std::size_t n = std::min(std::min(text.find_first_not_of(digits), text.size()), most);
    if (n < least) return false;
    const int value = std::atoi(std::string(text.substr(0, n)).c_str());
    text.remove_prefix(n);
    return value >= low && value <= high;
  };
  const auto one_of = [&](std::string_view set) {
    const bool found = !text.empty() && set.find(text[0]) != std::string_view::npos;
    if (found) text.remove_prefix(1);
    return found;
  };
  const std::string_view date = text;
  if (!take(4, 4, 0, 9999) || !one_of("-") || !take(1, 2, 1, 12) || !one_of("-") || !take(1, 2, 1, 31)) return false;
  const std::string_view month_and_day = date.substr(5, date.size() - 5 - text.size());
  const int year = std::atoi(std::string(date.substr(0, 4)).c_str()),
            month = std::atoi(std::string(month_and_day).c_str());
  const int day = std::atoi(std::string(month_and_day.substr(month_and_day.find('-') + 1)).c_str());
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (day > (month == 2 ? (leap ? 29 : 28) : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31))
    return false;
  if (text.empty()) return true;
  const bool zoned = text[0] == 'T' || text[0] == 't';
  if (!one_of("Tt ") || !take(1, 2, 0, 23) || !one_of(":") || !take(1, 2, 0, 59) || !one_of(":") || !take(1, 2, 0, 59))
    return false;
  if (one_of(".,") &&
      !take(1, std::string_view::npos, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()))
    return false;
  if (!zoned) return text.empty();
  if (one_of("Z")) return text.empty();
  return one_of("+-") && take(2, 2, 0, 24) && one_of(":") && take(2, 2, 0, 60) && text.empty();
}

bool is_int64(const Scalar& scalar) {
  std::int64_t value = 0;
  const char *begin = scalar.value.data(), *end = begin + scalar.value.size();
  return scalar.kind == K::integer && std::from_chars(begin, end, value).ec == std::errc();
}

// As `%g` of Go writes a float32.
std::string as_key(std::string_view number) {
  const auto value = static_cast<float>(std::strtod(std::string(number).c_str(), nullptr));
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  char out[64];
  const std::string scientific(out, std::to_chars(out, out + sizeof out, value, std::chars_format::scientific).ptr);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  return exponent < -4 || exponent >= 6 ? scientific : in_full(value);
}

// The bytes of base64; each that is no UTF-8 as U+FFFD, as in the JSON that the tools send.
std::optional<std::string> from_base64(std::string_view base64) {
  static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string letters(base64), out;
  std::erase_if(letters, [](char c) { return c == '\r' || c == '\n'; });
  if (letters.size() % 4 != 0) return std::nullopt;
  for (std::size_t at = 0; at < letters.size(); at += 4) {
    const bool last = at + 4 == letters.size();
    const int padding = !last || letters[at + 3] != '=' ? 0 : letters[at + 2] != '=' ? 1 : 2;
    std::uint32_t group = 0;
    for (int i = 0; i < 4; ++i) {
      const std::size_t value = i >= 4 - padding ? 0 : alphabet.find(letters[at + static_cast<std::size_t>(i)]);
      if (value == std::string_view::npos) return std::nullopt;
      group = group << 6 | static_cast<std::uint32_t>(value);
    }
    for (int i = 0; i < 3 - padding; ++i) out += static_cast<char>(group >> (16 - 8 * i) & 0xFF);
  }
  for (std::size_t at = 0;;) {
    const auto bad = first_invalid_utf8(std::string_view(out).substr(at));
    if (!bad) return out;
    out.replace(at + *bad, 1, "\xEF\xBF\xBD");
    at += *bad + 3;
  }
}

}  // namespace

Scalar plain_scalar(std::string_view spelling) {
  constexpr std::size_t longest = 5;  // of the words
  if (spelling.size() <= longest) {
    if (is_in(spelling, words_of_null)) return {K::null, ""};
    if (is_in(spelling, words_of_true)) return {K::boolean, "true"};
    if (is_in(spelling, words_of_false)) return {K::boolean, "false"};
    if (is_in(spelling, not_finite)) return {K::number, std::string(spelling), true};
  }
  const char first = spelling[0];
  if (is_digit(first) || first == '.' || first == '-' || first == '+')
    if (auto found = number(spelling)) return std::move(*found);
  return {K::text, std::string(spelling)};
}

std::optional<Scalar> tagged_scalar(std::string_view tag, std::string_view text) {
  const std::string_view type = tag.starts_with(of_yaml) ? tag.substr(of_yaml.size()) : std::string_view();
  if (type == "binary") {
    auto bytes = from_base64(text);
    return bytes ? std::optional(Scalar{K::text, std::move(*bytes)}) : std::nullopt;
  }
  Scalar out = plain_scalar(text);
  if (type == "bool") return out.kind == K::boolean ? std::optional(out) : std::nullopt;
  if (type == "null") return out.kind == K::null ? std::optional(out) : std::nullopt;
  if (type == "int") return out.kind == K::integer && !out.floating ? std::optional(out) : std::nullopt;
  if (type == "float" && is_int64(out)) return number_of(std::strtod(out.value.c_str(), nullptr));
  if (type == "float") return out.floating ? std::optional(out) : std::nullopt;
  if (type == "timestamp") return is_timestamp(text) ? std::optional(Scalar{K::text, std::string(text)}) : std::nullopt;
  return Scalar{K::text, std::string(text)};
}

Scalar json_number(std::string_view spelling) {
  if (auto value = whole(spelling)) return {K::integer, std::move(*value)};
  const auto value = parsed(spelling);
  return value ? number_of(*value) : Scalar{K::number, std::string(spelling)};
}

std::optional<std::string> key_of(const Scalar& scalar) {
  if (scalar.kind == K::null || (scalar.kind == K::integer && !scalar.floating && !is_int64(scalar)))
    return std::nullopt;
  if (!is_finite(scalar)) return muster::lower(scalar.value.starts_with('+') ? scalar.value.substr(1) : scalar.value);
  return scalar.floating ? as_key(scalar.value) : scalar.value;
}

bool is_finite(const Scalar& scalar) { return scalar.kind != K::number || !is_in(scalar.value, not_finite); }

Node::Kind plain_kind(std::string_view scalar) { return plain_scalar(scalar).kind; }

}  // namespace muster::data

#include "compiler/base/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "compiler/base/host_names.h"
#include "compiler/base/limits.h"

namespace muster {

bool all_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  if (!all_digits(text)) return std::nullopt;
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc() ? std::optional(value)
                                                                                          : std::nullopt;
}

bool is_env_name(std::string_view name) {
  return !name.empty() && !is_digit(name[0]) && std::all_of(name.begin(), name.end(), is_name_char);
}

Leading leading_number(std::string_view text) {
  Leading out;
  std::size_t at = 0;
  while (at < text.size() && is_space(text[at])) ++at;
  const bool negative = at < text.size() && text[at] == '-';
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  const std::size_t first = at;
  constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max();
  for (; at < text.size() && is_digit(text[at]); ++at) {
    const int digit = text[at] - '0';
    out.overflow |= out.value > (top - digit) / 10;
    out.value = out.overflow ? top : out.value * 10 + digit;
  }
  if (at == first) return {};
  out.any = true, out.length = at;
  if (negative) out.value = -out.value;
  return out;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return to_lower(x) == to_lower(y); });
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), to_lower);
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), to_upper);
  return out;
}

std::string dashed(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool lists_name(std::string_view list, std::string_view name) {
  if (name.empty()) return false;
  for (std::size_t at = 1; at + name.size() < list.size(); at = list.find(' ', at) + 1)
    if (list[at + name.size()] == ' ' && list.compare(at, name.size(), name) == 0)
      return name.find(' ') == std::string_view::npos;
  return false;
}

std::vector<std::string_view> names_in(std::string_view list) {
  std::vector<std::string_view> out;
  std::size_t at = 0;
  while ((at = list.find_first_not_of(' ', at)) != std::string_view::npos) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    out.push_back(list.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  constexpr std::size_t most = 64;  // no word of ours is that long
  const std::size_t longer = std::max(a.size(), b.size()), shorter = std::min(a.size(), b.size());
  if (longer > most || longer - shorter > limit) return limit + 1;
  // (None is set to zero: what is read of a row has been written.)
  std::array<std::array<std::size_t, most + 1>, 3> rows;
  std::size_t *before = rows[0].data(), *last = rows[1].data(), *row = rows[2].data();
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t least = row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t swap_cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + swap_cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    // Two letters that change places go back by two rows.
    if (least > limit + 1) return limit + 1;
    row = std::exchange(before, std::exchange(last, row));
  }
  return std::min(last[b.size()], limit + 1);
}

namespace {

// The letters of a word, a bit each, in whatever case. (A few other characters share their bits.)
std::uint32_t letters_of(std::string_view word) {
  std::uint32_t out = 0;
  for (const char c : word) out |= 1U << (c & 31);
  return out;
}

// One change of a word adds one letter at most and takes away one at most.
bool may_be_near(std::uint32_t a, std::uint32_t b, std::size_t limit) {
  return static_cast<std::size_t>(std::max(std::popcount(a & ~b), std::popcount(b & ~a))) <= limit;
}

}  // namespace

std::string closest(std::string_view word, std::span<const std::string_view> candidates, std::size_t most) {
  const std::size_t limit = std::min(most, std::max<std::size_t>(1, word.size() / 3));
  const std::string meant = lower(word);
  const std::uint32_t letters = letters_of(meant);
  // Of equally near ones that which begins alike: people slip at the end of a word more than at its start.
  std::string_view best;
  std::pair<std::size_t, std::size_t> least{limit, meant.size()};
  for (std::string_view candidate : candidates) {
    if (candidate.size() > meant.size() + limit || meant.size() > candidate.size() + limit) continue;
    if (!may_be_near(letters, letters_of(candidate), limit)) continue;
    const std::string other = lower(candidate);
    const std::size_t d = edit_distance(meant, other, limit);
    const auto alike = std::mismatch(meant.begin(), meant.end(), other.begin(), other.end()).first - meant.begin();
    const std::pair far{d, meant.size() - static_cast<std::size_t>(alike)};
    if (d <= limit && (best.empty() || far < least)) best = candidate, least = far;
  }
  return std::string(best);
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char lead = byte(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || i + length > text.size()) return i;
    for (std::size_t j = 1; j < length; ++j)
      if ((byte(i + j) & 0xC0) != 0x80) return i;
    const unsigned char next = byte(i + 1);
    if ((lead == 0xE0 && next < 0xA0) || (lead == 0xED && next > 0x9F) || (lead == 0xF0 && next < 0x90) ||
        (lead == 0xF4 && next > 0x8F))
      return i;
    i += length;
  }
  return std::nullopt;
}

std::string quoted(std::string_view word) { return "`" + std::string(word) + "`"; }

std::string joined(std::span<const std::string> words, std::string_view between) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) (out += i == 0 ? "" : between) += words[i];
  return out;
}

std::string listed(std::span<const std::string> words, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? " " + std::string(last) + " " : ", ") + words[i];
  return out;
}

std::string quoted_list(std::span<const std::string_view> words, std::string_view last) {
  std::vector<std::string> each;
  for (const std::string_view word : words) each.push_back(quoted(word));
  return listed(each, last);
}

namespace {

// Characters of valid UTF-8 that terminals obey (U+0080 to U+009F: U+009B begins a sequence as escape and `[` do), and
// that turn the order of what is beside them (U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069), become `?`.
void hide_controls(std::string& text) {
  std::size_t to = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t i) {
      return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
    };
    const bool c1 = byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F;
    const bool turns =
        byte(0) == 0xE2 &&
        ((byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F || (byte(2) >= 0xA8 && byte(2) <= 0xAE))) ||
         (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9));
    if (c1 || turns) {
      text[to++] = '?';
      at += c1 ? 2 : 3;
    } else {
      text[to++] = text[at++];
    }
  }
  text.resize(to);
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string out(text.substr(0, most));
  std::replace_if(out.begin(), out.end(), is_control, '?');
  while (const auto bad = first_invalid_utf8(out)) {
    if (text.size() > most && *bad + 4 > most) out.resize(*bad);  // a character that the cut went through
    else out[*bad] = '?';
  }
  hide_controls(out);
  return text.size() > most ? out + "…" : out;
}

std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

std::string padded(std::string text, std::size_t width, std::size_t gap) {
  text.resize(std::max(text.size(), width) + gap, ' ');
  return text;
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (const std::size_t i : {0, 1, 2, 3, 5, 6, 8, 9})
    if (!is_digit(text[i])) return false;
  const auto number = [&](std::size_t from, std::size_t digits) {
    int out = 0;
    for (const char c : text.substr(from, digits)) out = out * 10 + (c - '0');
    return out;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (leap && month == 2 ? 1 : 0);
}

std::string plural(std::string_view noun, long long n) { return std::string(noun) + (n == 1 ? "" : "s"); }

std::string with_thousands(std::int64_t whole) {
  std::string out = std::to_string(whole);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

std::string counted(long long n, std::string_view noun) { return std::to_string(n) + " " + plural(noun, n); }

std::optional<std::vector<std::string>> expand_hosts(std::string_view text, std::size_t limit) {
  const auto names = HostNames::read(text, limit);
  return names ? std::optional(names->all()) : std::nullopt;
}

std::optional<std::vector<std::string>> expand_hosts(std::string_view text) {
  return expand_hosts(text, value_of(Limit::cluster_nodes));
}

std::string compress_hosts(std::span<const std::string> names) {
  // Names that end in digits, grouped by what is before; the others as they are.
  std::map<std::pair<std::string, std::size_t>, std::vector<long>> groups;
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    std::size_t n = name.size();
    while (n > 0 && is_digit(name[n - 1]) && name.size() - n < 9) --n;
    if (n == name.size()) parts.push_back(name);
    else groups[{name.substr(0, n), name.size() - n}].push_back(std::stol(name.substr(n)));
  }
  for (auto& [key, numbers] : groups) {
    std::sort(numbers.begin(), numbers.end());
    const auto zero_padded = [width = key.second](long n) {
      std::string digits = std::to_string(n);
      return std::string(width > digits.size() ? width - digits.size() : 0, '0') + digits;
    };
    std::string inside;
    for (std::size_t i = 0; i < numbers.size();) {
      std::size_t j = i;
      while (j + 1 < numbers.size() && numbers[j + 1] == numbers[j] + 1) ++j;
      inside += (inside.empty() ? "" : ",") + zero_padded(numbers[i]);
      if (j > i) inside += "-" + zero_padded(numbers[j]);
      i = j + 1;
    }
    parts.push_back(numbers.size() == 1 ? key.first + inside : key.first + "[" + inside + "]");
  }
  std::sort(parts.begin(), parts.end());
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ",") + part;
  return out;
}

}  // namespace muster

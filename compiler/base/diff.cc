#include "compiler/base/diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace muster {
namespace {

constexpr std::size_t context = 3;
constexpr int most_changes = 1000;  // of Myers' search, whose memory is the square of it

using Lines = std::vector<std::string_view>;

// Each line with its line end; the last may lack one.
Lines lines_of(std::string_view text) {
  Lines out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

// One line of the script that turns one text into the other: ' ' kept, '-' deleted, '+' inserted.
struct Step {
  char sign;
  std::string_view line;
};

// The furthest points of Myers' greedy search, a row a number of changes; empty: given up.
std::vector<std::vector<int>> furthest_points(const Lines& a, const Lines& b) {
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size()), limit = std::min(n + m, most_changes);
  std::vector<std::vector<int>> rows;
  std::vector<int> last(3, 0);
  for (int d = 0; d <= limit; ++d) {
    std::vector<int> row(static_cast<std::size_t>(2 * d + 3), 0);
    const auto before = [&](int k) { return last[static_cast<std::size_t>(k + d)]; };  // of row d-1
    for (int k = -d; k <= d; k += 2) {
      const bool down = d > 0 && (k == -d || (k != d && before(k - 1) < before(k + 1)));
      int x = d == 0 ? 0 : down ? before(k + 1) : before(k - 1) + 1;
      while (x < n && x - k < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)]) ++x;
      row[static_cast<std::size_t>(k + d + 1)] = x;
      if (x >= n && x - k >= m) {
        rows.push_back(std::move(row));
        return rows;
      }
    }
    rows.push_back(row);
    last = std::move(row);
  }
  return {};
}

std::vector<Step> script(const Lines& a, const Lines& b) {
  const auto rows = furthest_points(a, b);
  std::vector<Step> out;
  if (rows.empty()) {
    for (std::string_view line : a) out.push_back({'-', line});
    for (std::string_view line : b) out.push_back({'+', line});
    return out;
  }
  int x = static_cast<int>(a.size()), y = static_cast<int>(b.size());
  for (int d = static_cast<int>(rows.size()) - 1; d >= 0; --d) {
    const int k = x - y;
    const auto before = [&](int diagonal) {
      return rows[static_cast<std::size_t>(d - 1)][static_cast<std::size_t>(diagonal + d)];
    };
    const bool down = d > 0 && (k == -d || (k != d && before(k - 1) < before(k + 1)));
    const int from = d == 0 ? 0 : down ? before(k + 1) : before(k - 1) + 1;
    for (; x > from; --x, --y) out.push_back({' ', a[static_cast<std::size_t>(x - 1)]});
    if (d == 0) break;
    if (down) out.push_back({'+', b[static_cast<std::size_t>(--y)]});
    else out.push_back({'-', a[static_cast<std::size_t>(--x)]});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

std::string range(std::size_t first, std::size_t count) {
  return std::to_string(count == 0 ? first : first + 1) + (count == 1 ? "" : "," + std::to_string(count));
}

// The steps [begin, end) as one hunk; `old_line` and `new_line` are the lines before it.
std::string hunk(const std::vector<Step>& steps, std::size_t begin, std::size_t end, std::size_t old_line,
                 std::size_t new_line) {
  std::size_t removed = 0, added = 0;
  std::string body;
  for (std::size_t i = begin; i < end; ++i) {
    removed += steps[i].sign != '+';
    added += steps[i].sign != '-';
    body += steps[i].sign;
    body += steps[i].line;
    if (!steps[i].line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  return "@@ -" + range(old_line, removed) + " +" + range(new_line, added) + " @@\n" + body;
}

// A file's name as git writes it in a difference: in quotes where it has characters that end a line or move a terminal.
std::string quoted_name(std::string name) {
  const auto is_odd = [](unsigned char c) { return c < 0x20 || c == 0x7F || c == '"' || c == '\\'; };
  if (std::none_of(name.begin(), name.end(), is_odd)) return name;
  std::string out = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += {'\\', c};
    else if (!is_odd(byte)) out += c;
    else
      out += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
              static_cast<char>('0' + (byte & 7))};
  }
  return out + "\"";
}

}  // namespace

std::string unified_diff(std::string_view name, std::string_view before, std::string_view after) {
  if (before == after) return {};
  const std::vector<Step> steps = script(lines_of(before), lines_of(after));
  std::string out =
      "--- " + quoted_name("a/" + std::string(name)) + "\n+++ " + quoted_name("b/" + std::string(name)) + "\n";
  std::size_t old_line = 0, new_line = 0, at = 0;
  const auto advance = [&](std::size_t to) {
    for (; at < to; ++at) old_line += steps[at].sign != '+', new_line += steps[at].sign != '-';
  };
  for (std::size_t i = 0; i < steps.size();) {
    if (steps[i].sign == ' ') {
      ++i;
      continue;
    }
    const std::size_t begin = std::max(at, i - std::min(i, context));
    std::size_t last = i;  // the last change of this hunk: the next one is more than two contexts away
    for (std::size_t j = i; j < steps.size() && j <= last + 2 * context + 1; ++j)
      if (steps[j].sign != ' ') last = j;
    const std::size_t end = std::min(steps.size(), last + 1 + context);
    advance(begin);
    out += hunk(steps, begin, end, old_line, new_line);
    advance(end);
    i = end;
  }
  return out;
}

std::vector<std::uint32_t> changed_lines(std::string_view before, std::string_view after) {
  std::vector<std::uint32_t> out;
  std::uint32_t line = 0;
  if (before == after) return out;
  for (const Step& step : script(lines_of(before), lines_of(after))) {
    line += step.sign != '-';
    if (step.sign == '+') out.push_back(line);
  }
  return out;
}

}  // namespace muster

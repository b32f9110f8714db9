#include "compiler/base/diff.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace muster {
namespace {

constexpr int most_changes = 1000;
constexpr std::size_t context = 3;

// Lines with their ends.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

// Lines a[begin_a, end_a) give way to b[begin_b, end_b).
struct Change {
  std::size_t begin_a, end_a, begin_b, end_b;
};

using Numbers = std::vector<int>;  // a line by the number of its text

// Myers' greedy search: the farthest point on each diagonal for 0, 1, 2… changes. The steps, last
// first; nullopt if more than `most_changes` are needed.
std::optional<std::vector<Change>> shortest(const Numbers& a, const Numbers& b) {
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size()), most = std::min(n + m, most_changes);
  std::vector<std::vector<int>> trace;
  std::vector<int> far(static_cast<std::size_t>(2 * most + 3), 0);
  const auto at = [&](std::vector<int>& v, int k) -> int& { return v[static_cast<std::size_t>(k + most + 1)]; };
  const auto down = [&](std::vector<int>& v, int k, int d) {
    return k == -d || (k != d && at(v, k - 1) < at(v, k + 1));
  };
  int d = 0;
  for (bool found = false; !found; ++d) {
    if (d > most) return std::nullopt;
    trace.emplace_back(far.begin() + most + 1 - (d + 1), far.begin() + most + 1 + (d + 2));  // diagonals -d-1 … d+1
    for (int k = -d; k <= d && !found; k += 2) {
      int x = down(far, k, d) ? at(far, k + 1) : at(far, k - 1) + 1;
      if (d == 0) x = 0;
      int y = x - k;
      while (x < n && y < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)]) ++x, ++y;
      at(far, k) = x;
      found = x >= n && y >= m;
    }
  }
  std::vector<Change> out;
  for (int x = n, y = m, step = d - 1; step > 0; --step) {
    const std::vector<int>& before = trace[static_cast<std::size_t>(step)];
    const auto reach = [&](int k) { return before[static_cast<std::size_t>(k + step + 1)]; };
    const int k = x - y;
    const bool insert = k == -step || (k != step && reach(k - 1) < reach(k + 1));
    x = reach(insert ? k + 1 : k - 1);
    y = x - (insert ? k + 1 : k - 1);
    const auto ux = static_cast<std::size_t>(x), uy = static_cast<std::size_t>(y);
    out.push_back({ux, ux + (insert ? 0u : 1u), uy, uy + (insert ? 1u : 0u)});
  }
  return out;
}

std::vector<Change> changes_between(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  std::size_t head = 0, tail = 0;
  while (head < std::min(a.size(), b.size()) && a[head] == b[head]) ++head;
  while (tail < std::min(a.size(), b.size()) - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  std::unordered_map<std::string_view, int> numbers;
  const auto number = [&](const std::vector<std::string_view>& lines) {
    Numbers out;
    for (std::size_t i = head; i < lines.size() - tail; ++i)
      out.push_back(numbers.try_emplace(lines[i], static_cast<int>(numbers.size())).first->second);
    return out;
  };
  const Numbers x = number(a), y = number(b);
  if (x.empty() && y.empty()) return {};
  auto steps = shortest(x, y);
  if (!steps) return {{head, head + x.size(), head, head + y.size()}};
  std::vector<Change> out;
  for (auto step = steps->rbegin(); step != steps->rend(); ++step) {
    const Change c = {step->begin_a + head, step->end_a + head, step->begin_b + head, step->end_b + head};
    if (!out.empty() && out.back().end_a == c.begin_a && out.back().end_b == c.begin_b)
      out.back().end_a = c.end_a, out.back().end_b = c.end_b;
    else out.push_back(c);
  }
  return out;
}

void append(std::string& out, char sign, const std::vector<std::string_view>& lines, std::size_t begin,
            std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    (out += sign) += lines[i];
    if (!lines[i].ends_with('\n')) out += "\n\\ No newline at end of file\n";
  }
}

// "12,3"; the line before where there is none, and no count of 1, as patch reads them.
std::string extent(std::size_t begin, std::size_t end) {
  const std::size_t count = end - begin;
  return std::to_string(count == 0 ? begin : begin + 1) + (count == 1 ? "" : "," + std::to_string(count));
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view name_before,
                         std::string_view name_after) {
  if (before == after) return {};
  const auto a = lines_of(before), b = lines_of(after);
  const auto changes = changes_between(a, b);
  std::string out = "--- " + std::string(name_before) + "\n+++ " + std::string(name_after) + "\n";
  for (std::size_t i = 0, j = 0; i < changes.size(); i = j) {
    for (j = i + 1; j < changes.size() && changes[j].begin_a - changes[j - 1].end_a <= 2 * context;) ++j;
    const std::size_t lead = std::min(context, changes[i].begin_a);
    const std::size_t rest = std::min(context, a.size() - changes[j - 1].end_a);
    out += "@@ -" + extent(changes[i].begin_a - lead, changes[j - 1].end_a + rest) + " +" +
           extent(changes[i].begin_b - lead, changes[j - 1].end_b + rest) + " @@\n";
    std::size_t next = changes[i].begin_a - lead;
    for (std::size_t k = i; k < j; ++k) {
      append(out, ' ', a, next, changes[k].begin_a);
      append(out, '-', a, changes[k].begin_a, changes[k].end_a);
      append(out, '+', b, changes[k].begin_b, changes[k].end_b);
      next = changes[k].end_a;
    }
    append(out, ' ', a, next, next + rest);
  }
  return out;
}

}  // namespace muster

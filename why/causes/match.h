// Patterns of messages: literal texts, `*` for any text, `{name}` for a value.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::why {

using Captures = std::vector<std::pair<std::string_view, std::string>>;
// The values of the pattern's names, where the text has the pattern in it; nullopt where it does not.
std::optional<Captures> match(std::string_view pattern, std::string_view text);

// How a pattern may be in a text that a terminal cut: where it has a hole (`cut` of why/facts.h), any text may have
// been.
struct Laid {
  std::size_t seen = 0;    // letters of the pattern that are there
  bool is_enough = false;  // to say that it is this one: two thirds of each of its literal texts
  Captures values{};       // without those that a hole is in
};
// nullopt where fewer than `least` letters of it are there, or than 10 (or `least`) in a row.
std::optional<Laid> match_cut(std::string_view pattern, std::string_view text, std::size_t least = 16);

// Of rows with a `pattern`, the one that a cut text can only be: no other has as many letters in it. `same(a, b)`: two
// rows mean the same. nullptr: there is none.
template <class Row>
const Row* only_one(std::span<const Row> rows, std::string_view text, std::size_t least, auto pattern, auto same,
                    Captures* values = nullptr) {
  const Row* best = nullptr;
  std::size_t seen = 0, rival = 0;
  for (const Row& row : rows) {
    auto laid = match_cut(pattern(row), text, least);
    if (!laid) continue;
    if (best != nullptr && same(*best, row) && laid->seen <= seen) continue;
    if (laid->is_enough && laid->seen > seen) {
      if (best != nullptr && !same(*best, row)) rival = std::max(rival, seen);
      best = &row;
      seen = laid->seen;
      if (values != nullptr) *values = std::move(laid->values);
    } else {
      rival = std::max(rival, laid->seen);
    }
  }
  return rival < seen ? best : nullptr;
}

}  // namespace muster::why

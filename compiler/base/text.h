// Small questions about text that several rooms ask.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

bool equal_ignoring_case(std::string_view a, std::string_view b);
std::string lower(std::string_view text);
// With `-` for every `_`: C++ names of codes and rules as users see them, keys as the language spells them.
std::string dashed(std::string_view text);

// Levenshtein distance with transpositions, cut off above `limit` (then limit + 1).
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// The candidate a person probably meant: nearest within a third of the word's length, of equals the one that
// begins alike; "" if none.
std::string closest(std::string_view word, std::span<const std::string_view> candidates);

// Offset of the first byte that is not valid UTF-8 (overlong forms and surrogates are not).
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// "a, b and c" with each word in backticks.
std::string quoted_list(std::span<const std::string_view> items, std::string_view last = "and");

// A stranger's bytes on one line of ours: what is no UTF-8 or no printable sign becomes `?`, and after
// `most` bytes comes `…`.
std::string printable(std::string_view text, std::size_t most = 200);

// "1 node", "2 nodes".
std::string counted(long long n, std::string_view noun);

// A date as YYYY-MM-DD: such dates order as their texts do.
bool is_date(std::string_view text);

// "n[001-032,040]" to names, in order. nullopt if the text is no host list or names over `limit`.
std::optional<std::vector<std::string>> expand_hosts(std::string_view text, std::size_t limit = 200'000);
// Names to the shortest bracket form; keeps zero padding: {"n001","n002"} is "n[001-002]".
std::string compress_hosts(std::span<const std::string> names);

}  // namespace muster

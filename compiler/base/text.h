// Small questions about text that several rooms ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// Letters and digits are those of ASCII: a locale does not affect any answer.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) { return is_lower(c) || is_upper(c); }
constexpr bool is_alnum(char c) { return is_letter(c) || is_digit(c); }
// Of a variable's name: what it begins with, and what follows.
constexpr bool is_name_start(char c) { return is_letter(c) || c == '_'; }
constexpr bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }
// A POSIX environment name: a letter or _ and then letters, digits and _.
bool is_env_name(std::string_view name);
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }
constexpr char to_lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char to_upper(char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

// Digits and nothing else, at least one.
bool all_digits(std::string_view text);
// Such a text as a number; nullopt for others, and beyond 64 bits.
std::optional<std::int64_t> whole_number(std::string_view text);

// A number as strtol takes it: blanks and a sign in front, anything behind.
struct Leading {
  std::int64_t value = 0;
  std::size_t length = 0;  // of blanks, sign and digits; 0 if there are no digits
  bool any = false;
  bool overflow = false;
};

Leading leading_number(std::string_view text);

bool equal_ignoring_case(std::string_view a, std::string_view b);
std::string lower(std::string_view text);
std::string upper(std::string_view text);
// With `-` for every `_`: C++ names of codes and rules as users see them, keys as the language spells them.
std::string dashed(std::string_view text);

// Without the blanks at both ends: spaces, tabs and the end of a DOS line, or those given.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r");
// The parts between separators; empty ones count.
std::vector<std::string_view> split(std::string_view text, char separator);
bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);
// A list of names between blanks, " np n ": whether it has this one, and its names.
bool lists_name(std::string_view list, std::string_view name);
std::vector<std::string_view> names_in(std::string_view list);
// What follows the last `/`: "/usr/bin/python3" is "python3".
std::string_view base_name(std::string_view path);

// Levenshtein distance with transpositions, cut off above `limit` (then limit + 1).
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// The candidate a person probably meant: nearest within a third of the word's length and `most` letters, of equals
// the one that begins alike; "" if none.
std::string closest(std::string_view word, std::span<const std::string_view> candidates,
                    std::size_t most = std::string_view::npos);

// Offset of the first byte that is not valid UTF-8 (overlong forms and surrogates are not).
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// In backticks.
std::string quoted(std::string_view word);
// "a, b, c".
std::string joined(std::span<const std::string> items, std::string_view between = ", ");
// "a, b or c".
std::string listed(std::span<const std::string> items, std::string_view last);
// "a, b and c" with each word in backticks.
std::string quoted_list(std::span<const std::string_view> items, std::string_view last = "and");

// Foreign bytes on one line: what is not UTF-8 or not a printable character becomes `?`, and after
// `most` bytes comes `…`.
std::string printable(std::string_view text, std::size_t most = 200);

// With a space for every control character, line ends among them.
std::string one_line(std::string text);
// With spaces behind it to a column of `width` bytes, and `gap` more.
std::string padded(std::string text, std::size_t width, std::size_t gap = 1);

// "node" of 1, "nodes" of others.
std::string plural(std::string_view noun, long long n);
// "30,720".
std::string with_thousands(std::int64_t whole);
// "1 node", "2 nodes".
std::string counted(long long n, std::string_view noun);

// A date as YYYY-MM-DD: such dates order as their texts do.
bool is_date(std::string_view text);

// "n[001-032,040]" to names, in order. nullopt if the text is not a host list or names over `limit`, without one
// Limit::cluster_nodes.
std::optional<std::vector<std::string>> expand_hosts(std::string_view text, std::size_t limit);
std::optional<std::vector<std::string>> expand_hosts(std::string_view text);
// Names to the shortest bracket form; keeps zero padding: {"n001","n002"} is "n[001-002]".
std::string compress_hosts(std::span<const std::string> names);

}  // namespace muster

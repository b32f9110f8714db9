// The shape of a bash text: its commands with their words as spelt, and what they are in. Words are
// decoded in expand.h. Linear in the text, but that $( ) is read once for each level it lies in, and deeper than
// max_depth not at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/shell/body.h"

namespace muster::shell::raw {

inline constexpr std::size_t max_depth = 24;    // of $( ) in $( )
inline constexpr std::size_t max_scopes = 200;  // of if, for, { } in each other

struct RawWord {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct RawRedirect {
  std::string_view op;
  RawWord target;
  RawWord text;         // of a here-document
  bool quoted = false;  // its delimiter: nothing is expanded in it
  bool strip_tabs = false;
};

struct RawCommand {
  std::uint32_t first_word = 0, words = 0;          // in Text::words; assignments first
  std::uint32_t first_redirect = 0, redirects = 0;  // in Text::redirects
  std::uint32_t begin = 0, end = 0;
  std::int32_t scope = -1;
  std::uint32_t pipeline = 0;
  bool piped = false, background = false, conditional = false, condition = false, negated = false;
  bool sets_by_words = false;  // for who reads it on: see Command
};

struct RawScope {
  ScopeKind kind{};
  std::int32_t parent = -1;
  RawWord head;
  std::uint32_t first_word = 0, words = 0;  // of a for: the name and what it goes over
  bool is_for = false;
  bool background = false;
  std::string_view name;  // of a function
};

struct RawProblem {
  std::string message;
  RawWord where;
};

struct Text {
  std::vector<RawWord> words;
  std::vector<RawRedirect> redirects;
  std::vector<RawCommand> commands;
  std::vector<RawScope> scopes;
  std::vector<RawProblem> problems;
  std::vector<RawWord>
      constructs;  // the outermost if, for, case, { }, ( ) and functions, from their first word to the last
};

// Reads text[begin, end). Commands in $( ) and backticks follow those of the text itself.
Text read(std::string_view text, std::uint32_t begin, std::uint32_t end);

// A word without its quotes and backslashes.
std::string unquoted(std::string_view spelling);

// Where the construct that begins at `at` (a quote, `$(`, `${`, a backtick, `(`) ends: one past its last
// character. text.size() and `open` set where it does not end.
std::uint32_t end_of_construct(std::string_view text, std::uint32_t at, bool& open, std::size_t depth = 0);

}  // namespace muster::shell::raw

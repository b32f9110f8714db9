// The one answer to whether something has still to be filled in: by an engine, a person or a shell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

// Where a text is from, which decides what counts in it (blanks.def).
enum class In : std::uint16_t {
  directive = 1,  // an option of a `#SBATCH`, `#PBS` or `#BSUB` line, or its value
  shell = 2,      // one word of a command
  yaml = 4,       // a value of a manifest
  secret = 8,     // what a name says is a secret
  refused = 16,   // what the system does not take, such as a word in place of a number
  line = 32,      // a line of a script by itself, which is no command
  text = 64,      // a script or any other text, in which only engines are told by their signs
  comment = 128,  // what is said beside a value
  token = 256,    // what is behind the prefix of a token
};

enum class FilledBy : std::uint8_t { none, engine, person, variable };

struct BlankFound {
  FilledBy by = FilledBy::none;
  bool word = false;          // by a word or a repeated sign, not by the signs around it
  std::string_view form{};    // "jinja", "angle", "shell-variable"
  std::string_view engine{};  // "jinja", "Go"; "" where several would do
  std::size_t begin = 0, end = 0;

  explicit operator bool() const { return by != FilledBy::none; }
};

// The first blank of a text: by the signs around it, else by a word or a repeated sign of the whole. Linear in the size
// of the text.
BlankFound blank_in(std::string_view text, In place);

// The first that is told by its signs; the one of them that begins at `at`.
BlankFound marked_blank_in(std::string_view text, In place, std::size_t from = 0);
BlankFound blank_at(std::string_view text, In place, std::size_t at);

// Whether a text, without the blanks at its ends, is one such blank and nothing else.
bool is_one_blank(std::string_view text, In place);

// Of a value that should be an amount: whether one of its parts between `:` is still to be written: `NODES`,
// `WALL_HOURS:00:00`, `0-XXX`. A variable of the shell is none.
bool is_blank_amount(std::string_view value);

}  // namespace muster

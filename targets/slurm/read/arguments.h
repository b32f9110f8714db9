// How Slurm cuts a directive line into words, and how getopt_long reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "targets/slurm/option_table.h"
#include "targets/slurm/read/script.h"

namespace muster::targets::slurm {

// A word of a line, decoded; `begin` and `end` are its bytes in the file, quotes included.
struct Argument {
  std::string text;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t line = 0;
  Certainty certainty = Certainty::literal;
};

// What stopped the reading of a line before its end.
struct LineStop {
  enum class Kind : std::uint8_t { none, separator, colon, quote, dropped } kind = Kind::none;
  std::uint32_t at = 0;
  char quote = 0;
};

// A line, or the command line, to be cut into words.
struct LineText {
  std::string_view text;    // of the whole file
  std::uint32_t begin = 0;  // where the words start
  std::uint32_t end = 0;    // the line's end
  std::uint32_t line = 0;
  bool typed = false;         // on a command line: no comments, no `:` and hetjob words
  bool blank_escapes = true;  // a backslash keeps a blank in its word: from 24.05 on
  bool expanded = false;      // a shell replaces $, backticks and backslashes first
};

// Appends the words of a line. A placeholder such as `{{ memory }}` or `<your account>` is part of one word.
LineStop split_line(const LineText& line, std::vector<Argument>& words);

// The byte of the file that holds character `decoded` of an argument's text.
std::uint32_t source_offset(std::string_view file, const Argument& argument, std::size_t decoded);

// getopt_long over words, as every tool of Slurm calls it: it ends at the first word that is not an option.
class OptionWalk {
 public:
  enum class Kind : std::uint8_t { option, stray, unknown, ambiguous, missing_value, unwanted_value };
  struct Item {
    Kind kind{};
    const OptionRow* row = nullptr;
    std::size_t word = 0;     // that holds the option
    std::size_t name_at = 0;  // of its letter, in a cluster such as -vN4; 0 else
    std::string_view name;    // "nodes" as written, or the letter
    bool is_long = false;
    std::optional<std::string_view> value{};
    std::size_t value_word = 0;
    std::size_t value_at = 0;  // offset of the value in that word
    std::vector<std::string_view> candidates{};
  };

  OptionWalk(Tool tool, std::optional<model::Version> version, std::span<const std::string_view> words)
      : tool_(tool), version_(version), words_(words) {}

  // The next option or fault; nullopt at the end of the options.
  std::optional<Item> next();
  // The first word not read.
  std::size_t position() const { return at_; }
  // Goes on at a word, after a fault.
  void resume(std::size_t word) { at_ = word, letter_ = 0; }

 private:
  Item long_option();
  Item short_option();
  Item& with_value_of_next_word(Item& item);

  Tool tool_;
  std::optional<model::Version> version_;
  std::span<const std::string_view> words_;
  std::size_t at_ = 0;
  std::size_t letter_ = 0;  // next letter of a cluster in words_[at_]; 0: at a word's begin
};

}  // namespace muster::targets::slurm

// Run references (`"${run.id}"`) as the parts of a text that a target fills in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/contract/variables.h"

namespace muster::targets::contract {

// Bytes of a text, or the value of a variable when the program starts.
struct Piece {
  std::string bytes;
  std::string variable{};
  std::string word{};  // its value inside of double quotes: "$SLURM_JOB_ID"; "": the variable's own
  // A `:` at its side that goes with it where the variable is not set.
  bool colon_before = false, colon_behind = false;
  bool of_environment = false;  // a variable that the program has by itself: `${env.HOME}`
  Span span{};

  bool is_variable() const { return !variable.empty(); }
};
using Pieces = std::vector<Piece>;

// The parts of a text. What is known when the file is written is bytes; the rest are variables: of the contract, of
// the program's environment, or the one that has the value of an axis (axis_variable).
Pieces pieces_of(const Run& run, const model::Text& text);

// A text without variables.
std::string bytes_of(const Pieces& pieces);
bool has_variables(const Pieces& pieces);

// The text where all of it is known when the file is written; else refused at what is not: "known only when the
// program runs, " + why.
std::optional<std::string> known_text(Account& account, const Run& run, const model::Text& text, const FieldRef& field,
                                      std::string_view why);

// The variable with the value of an axis: the program's own where `env` gives it, else one of the file's.
std::string axis_variable(const model::Role& role, std::string_view axis);
// Variables that hold the value of an axis, and its name: those of `env`, then those that other texts refer to.
std::vector<std::pair<std::string, std::string>> axis_variables(const model::Role& role);

// A double-quoted word of a shell with the values.
std::string quoted(const Pieces& pieces);

}  // namespace muster::targets::contract

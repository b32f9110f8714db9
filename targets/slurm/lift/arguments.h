// What a script reads of the words behind its name, `$1` or `"$@"`, as parameters of the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/imported.h"
#include "targets/slurm/read/body.h"

namespace muster::targets::slurm::lifting {

struct Arguments {
  std::vector<Parameter> named;  // $1, $2 … up to the last that is read; empty with `all`
  std::optional<Parameter> all;  // with `$@`, `$#`, `shift` or `${10}`: the list of all of them
  bool alone = false;            // with `all`: one `$@`, and nothing else of them is read
};

// A text that gives itself other arguments (`set -- a b`) has those of the job only where it reads them before, or
// makes the new ones of them: all as a list.
Arguments arguments_of(const Sources& sources, const Body& body);

// `$1`, `${1}` or `${1:-x}`: the argument; nullptr for all else, and where another read of it has another default.
const Parameter* argument_in(std::string_view spelling, const std::vector<Parameter>& named);

// A word as written that is all of them, each a word: `"$@"`, `$@` or `$*`.
bool is_all_arguments(std::string_view word);

// Whether lines of the shell read one.
bool reads_argument(std::string_view lines);

struct Lifter;

// The parameters of a workload whose command is in keys: those that its texts name, and, with `all`, the list behind
// the words. `joined`: the names of those that stay one word where the script would split them.
void take_arguments_of_words(Lifter& lifter, bool all, const std::vector<std::string>& joined);

// Those of one whose text is left, which finds them as its own arguments.
void take_arguments_of_text(Lifter& lifter);

}  // namespace muster::targets::slurm::lifting

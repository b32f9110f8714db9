// Where a program fills a script in before it is submitted. What does not depend on these places is what it says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/slurm/read/body.h"

namespace muster::targets::slurm {

// A part of a script that is other bytes once it is submitted. What is in a comment is none: no shell reads it.
struct Blank {
  Span where;
  Span option{};         // the option of a directive that it is in, which may be gone with it
  bool line = false;     // a line that only an engine reads
  bool hard = false;     // it makes the file a template: without an engine the script could not mean anything
  bool shell = false;    // `$X`, which sbatch does not expand in a directive
  std::string engine{};  // "jinja"; "" where several would do
  std::string why{};     // "`{{ nodes }}` in a directive"
  bool apart = false;    // not of this script: another one below it, or options to choose from
};

// In the order of the text. `texts`: of the commands, see texts_of_commands().
std::vector<Blank> blanks_of(const Sources& sources, const Script& script, const Body& body);

// Texts of the same length that an engine could make of one with blanks: with small values, with large ones, and
// without the options and the conditional lines. What is so in all of them does not depend on the blanks.
std::vector<std::string> fillings(std::string_view text, const std::vector<Blank>& blanks);

}  // namespace muster::targets::slurm

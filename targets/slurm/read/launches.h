// Which commands start programs, and how many.
#pragma once

#include <string_view>
#include <vector>

#include "targets/slurm/read/body.h"

namespace muster::targets::slurm {

// A text that a launcher or a command gives to `bash -c`.
struct NestedText {
  std::string text;
  Span span;
  std::int32_t command = -1;  // that holds it
  std::int32_t parent = -1;   // launch that starts the bash
  std::size_t depth = 0;
  std::vector<Word> arguments;  // $0, $1 …
};

// Appends the launches of one command, outermost first, and texts for `bash -c` that are still to be read.
// `parent`: of the command itself, where it is in such a text.
void find_launches(Body& body, std::uint32_t command, std::int32_t parent, std::size_t depth,
                   std::vector<NestedText>& nested);

// Appends what the command does to the environment: modules, conda, exports, cd.
void find_setups(Body& body, std::uint32_t command);

}  // namespace muster::targets::slurm

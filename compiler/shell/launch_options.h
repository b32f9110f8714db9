// How launchers read their own options, so that what they start follows from their options.
#pragma once

#include <span>
#include <string_view>

#include "compiler/shell/body.h"

namespace muster::shell {

// Reads the options of `launch.kind` in words[at…] into `launch.options` and returns where the program begins.
std::size_t read_launch_options(Launch& launch, std::span<const Word> words, std::size_t at,
                                std::span<const OwnOptions> own);

// Words in front of a command that do not change what it is: `time`, `env A=1`, `numactl -N 0`. Returns how many.
std::size_t skip_wrappers(std::span<const Word> words);

// What scripts say of the nodes of a launcher beside the table of launchers: option names between blanks.
struct NodeNames {
  std::string_view variable{};  // the environment variable with the number of nodes
  std::string_view rank{};      // options with the rank of the node: another number on each
  std::string_view config{};    // options with a file that may hold the number
};
NodeNames node_names(Launcher launcher);

// The counts that the options of a launch say.
void read_counts(Launch& launch, std::span<const OwnOptions> own);

}  // namespace muster::shell

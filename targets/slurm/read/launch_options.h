// How launchers read their own options, so that what they start follows from their options.
#pragma once

#include <span>
#include <string_view>

#include "targets/slurm/read/body.h"

namespace muster::targets::slurm {

// Reads the options of `launch.kind` in words[at…] into `launch.options` and returns where the program begins.
std::size_t read_launch_options(Launch& launch, std::span<const Word> words, std::size_t at);

// Words in front of a command that do not change what it is: `time`, `env A=1`, `numactl -N 0`. Returns how many.
std::size_t skip_wrappers(std::span<const Word> words);

// The counts that the options of a launch say.
void read_counts(Launch& launch);

}  // namespace muster::targets::slurm

// What a file could start, by the ending of its name: the one table of such endings.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster::driver {

enum class Starts : std::uint8_t {
  nothing,
  objects,  // what a cluster makes of a manifest
  slurm,    // a script for sbatch alone
  other,    // a script for another batch system alone
  job,      // a script for some batch system, or something else
  shell,    // a shell's script, which any batch system takes and most are not for
};
Starts starts_by_ending(std::string_view path);

// Whether a file of this name is for a cluster: one that is not read must be named.
inline bool is_for_a_cluster(std::string_view path) {
  const Starts starts = starts_by_ending(path);
  return starts != Starts::nothing && starts != Starts::shell;
}

}  // namespace muster::driver

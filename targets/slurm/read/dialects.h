// #PBS and #BSUB lines, which sbatch translates and obeys after its own.
#pragma once

#include "targets/slurm/read/arguments.h"

namespace muster::targets::slurm {

// A translated option: of sbatch by name, with the argument that it comes from.
struct Translated {
  std::string_view name;
  std::string spelling;
  std::optional<std::string> value;
  std::size_t argument = 0;  // index into the words
};

struct Translation {
  std::vector<Translated> options;
  std::optional<std::size_t> refused;  // the word that sbatch stops at
  std::string reason;
};

// The words of all lines of one dialect, in order. `origin` is pbs or bsub.
Translation translate(Origin origin, std::span<const Argument> words);

}  // namespace muster::targets::slurm

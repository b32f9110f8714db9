// What a script that stays a text sees of itself: its file, and all of its environment.
#pragma once

#include "targets/slurm/lift/lifter.h"

namespace muster::targets::slurm::lifting {

// Adds a line for each copy that the text makes of itself, for each place that it works out of its own path, for
// each file to which it lists its variables, and for the first name that must have a value: these are others.
void lines_of_own_text(Lifter& lifter);

}  // namespace muster::targets::slurm::lifting

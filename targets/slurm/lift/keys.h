// A script of one launch as keys alone, without a text.
#pragma once

#include "targets/slurm/lift/lifter.h"

namespace muster::targets::slurm::lifting {

// False: nothing was changed, and `lifter.why` says what stands against it.
bool lift_to_keys(Lifter& lifter);

}  // namespace muster::targets::slurm::lifting

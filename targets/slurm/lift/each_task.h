// A script of several tasks as a text that each task runs: everything before its one step must be the same in all.
#pragma once

#include "targets/slurm/lift/lifter.h"

namespace muster::targets::slurm::lifting {

// False: nothing was changed, and `lifter.why` says what stands against it.
bool lift_each_task(Lifter& lifter);

}  // namespace muster::targets::slurm::lifting

// A script of one task that stays a text: what prepares its environment goes to the site, and srun goes.
#pragma once

#include "targets/slurm/lift/lifter.h"

namespace muster::targets::slurm::lifting {

// Takes from the text what needs no shell. The text is not changed where it needs Slurm's steps.
void lift_with_text(Lifter& lifter);

}  // namespace muster::targets::slurm::lifting

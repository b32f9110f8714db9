// The environment of a script as software that its site declares.
#pragma once

#include "targets/slurm/lift/environment.h"
#include "targets/slurm/lift/lifter.h"

namespace muster::targets::slurm::lifting {

// Adds the software to the fragment of the site, and its name to the workload.
void add_software(Lifter& lifter, const Environment& environment);

}  // namespace muster::targets::slurm::lifting

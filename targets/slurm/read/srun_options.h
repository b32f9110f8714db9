// The options of srun, by Slurm's own table.
#pragma once

#include <span>

#include "targets/slurm/read/body.h"

namespace muster::targets::slurm {

// What the reader of shell texts has to know to read a call of srun.
std::span<const shell::OwnOptions> srun_options();

}  // namespace muster::targets::slurm

// What an option of mpirun says of hosts and places, which are the runner's own.
#pragma once

#include "targets/slurm/read/body.h"

namespace muster::targets::slurm::lifting {

// `-machinefile $PBS_NODEFILE`: the nodes of the job, which the runner gives.
bool names_own_nodes(const LaunchOption& option);
// `-map-by slot` fills one node after the other, as the runner does.
bool fills_nodes(const LaunchOption& option);

}  // namespace muster::targets::slurm::lifting

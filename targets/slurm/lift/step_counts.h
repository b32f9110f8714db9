// Tasks and their CPUs that the job does not say, but its only step: they are meant for the job.
#pragma once

#include "targets/slurm/lift/lifter.h"

namespace muster::targets::slurm::lifting {

// Takes them into `lifter.shape`; write_counts_of_step is for after the lifting, where it has succeeded.
void take_counts_of_step(Lifter& lifter);
void write_counts_of_step(Lifter& lifter);

}  // namespace muster::targets::slurm::lifting

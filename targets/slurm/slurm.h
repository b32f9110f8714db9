// Slurm: a plan as one self-contained sbatch file. `ray-on-slurm` is the same file with a Ray
// cluster started inside the job.
#pragma once

#include "targets/target.h"

namespace muster::targets::slurm {

// Any workload whose runner is not Ray.
Lowered lower_slurm(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

// A workload whose runner is Ray.
Lowered lower_ray_on_slurm(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

// `submit.slurm.sh`: sbatch for each in order, with --dependency. Ids of jobs that are not among them
// come from the environment, JOB_<NAME>.
std::optional<Document> submit_script(std::span<const Submission> submissions, Diagnostics& diagnostics);

}  // namespace muster::targets::slurm

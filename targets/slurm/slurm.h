// Slurm: a plan as one self-contained sbatch file. `ray-on-slurm` is the same file with a Ray
// cluster started inside the job.
#pragma once

#include "targets/carriage.h"
#include "targets/target.h"

namespace muster::targets::slurm {

// A workload whose runner is Ray for the target that can, else one whose runner is not.
Lowered lower_slurm(const Target& target, const plan::Plan& plan, const LowerOptions& options,
                    Diagnostics& diagnostics);

// `submit.slurm.sh`: sbatch for each in order, with --dependency. Ids of jobs that are not among them
// come from the environment, JOB_<NAME>.
std::optional<Document> submit_script(std::span<const Submission> submissions, Diagnostics& diagnostics);

// What becomes of each key.
std::span<const Carried> slurm_carriage();
std::span<const Carried> ray_on_slurm_carriage();

}  // namespace muster::targets::slurm

// PBS: a plan as one self-contained job script for qsub, of OpenPBS or in the dialect of Torque.
#pragma once

#include "targets/carriage.h"
#include "targets/target.h"

namespace muster::targets::pbs {

Lowered lower_pbs(const Target& target, const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

// `submit.pbs.sh`: qsub for each in order, with `-W depend`. Ids of jobs that are not among them come from the
// environment, JOB_<NAME>.
std::optional<Document> submit_script(std::span<const Submission> submissions, Diagnostics& diagnostics);

// What becomes of each key.
std::span<const Carried> pbs_carriage();

}  // namespace muster::targets::pbs

// LSF: a plan as one self-contained job script for bsub of IBM Spectrum LSF.
#pragma once

#include "targets/carriage.h"
#include "targets/target.h"

namespace muster::targets::lsf {

Lowered lower_lsf(const Target& target, const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

// `submit.lsf.sh`: bsub for each in order, with `-w`. Ids of jobs that are not among them come from the environment,
// JOB_<NAME>.
std::optional<Document> submit_script(std::span<const Submission> submissions, Diagnostics& diagnostics);

// What becomes of each key.
std::span<const Carried> lsf_carriage();

}  // namespace muster::targets::lsf

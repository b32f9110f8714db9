// SkyPilot: one YAML file of a task, a managed job or a service.
#pragma once

#include <span>

#include "compiler/model/plane.h"
#include "targets/carriage.h"
#include "targets/target.h"

namespace muster::targets::skypilot {

std::span<const Carried> skypilot_carriage();
Lowered lower_skypilot(const Target& target, const plan::Plan& plan, const LowerOptions& options,
                       Diagnostics& diagnostics);

// Whether a job ends at its time limit: on SkyPilot where all that its `infra` allows is Slurm, elsewhere in any case.
bool keeps_time_limit(const model::Plane& plane);

}  // namespace muster::targets::skypilot

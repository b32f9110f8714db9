// dstack: one YAML file of a task, a dev environment or a service.
#pragma once

#include <span>

#include "targets/carriage.h"
#include "targets/target.h"

namespace muster::targets::dstack {

std::span<const Carried> dstack_carriage();
Lowered lower_dstack(const Target& target, const plan::Plan& plan, const LowerOptions& options,
                     Diagnostics& diagnostics);

}  // namespace muster::targets::dstack

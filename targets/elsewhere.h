// What the `target` blocks of other targets hold that this one would lose: resources, programs, names that only the
// other's cluster gives.
#pragma once

#include "plan/plan.h"
#include "targets/target.h"

namespace muster::targets {

// Refuses each on `diagnostics` where no key of the workload says it too.
void refuse_what_is_elsewhere(const Target& target, const plan::Plan& plan, Diagnostics& diagnostics);

}  // namespace muster::targets

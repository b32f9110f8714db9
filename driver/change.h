// The one change that helps a workload most: what would make it fit, or last, by what its author can change.
#pragma once

#include <string>

#include "plan/plan.h"
#include "plan/steps/make_plan.h"
#include "targets/as_read.h"

namespace muster::driver {

// A sentence that says what to write instead and what that is worth; "": there is nothing. Each change was planned like
// the workload itself. `read`: of a job script or a manifest, else nullptr. `now`: that it can start now is asked too.
std::string change_for(const plan::PlanRequest& request, const targets::AsRead* read, const plan::Fit& fit, bool now);

}  // namespace muster::driver

// Licenses that the plane's scheduler counts.
#pragma once

#include "compiler/model/plane.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/plan.h"

namespace muster::plan {

// Adds to the level of policy what the workload requests and the plane does not have: more than there are, or a license
// that is not among those of the site, which Slurm refuses. Of a site that declares none, and of a
// license server's (`NAME@SERVER`) that is not declared, how many there are is not known.
void hold_to_licenses(const model::Site& site, const model::Plane& plane, const model::Workload& workload, Fit& fit);

}  // namespace muster::plan

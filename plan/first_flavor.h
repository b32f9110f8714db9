// Which flavors Kueue gives the roles of a workload: it looks at quotas first, and at nodes of those flavors alone.
#pragma once

#include <vector>

#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/fleet_state.h"
#include "plan/plan.h"

namespace muster::plan {

struct FlavorQuestion {
  const model::Plane& plane;
  const model::Queue* queue;
  const model::Tenant* tenant;    // as declared: its quotas are in the order of its queue's flavors; nullptr: none
  const model::Tenant* ceilings;  // the same with the most that it may use
  const model::Site& site;
  const model::Workload& workload;
};

// Sets `fit.otherwise` where the workload fits, and not on the flavors that Kueue chooses: for each role in turn the
// first that its file and the quotas allow.
void note_first_flavor(FleetState& state, const FlavorQuestion& question, const std::vector<RolePlan>& placed,
                       Fit& fit);

}  // namespace muster::plan

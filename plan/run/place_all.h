// All workloads of a compilation on one fleet at once: these fit, this one does not, because.
#pragma once

#include <vector>

#include "plan/fleet/fleet_state.h"
#include "plan/plan.h"

namespace muster::plan {

// Takes plans that were made one by one (each with its fit alone) and makes their fits those beside each other.
// The most urgent come first (`priority`; names of a site count as normal), then in the order given. Each
// keeps what it got. Workloads of which one waits for the end of the other (`after`) do not meet.
//
// A workload that fits alone and not beside the others does not fit if they are over a line together that no
// placement can mend (scheduler/together.h), among those that may go nowhere else, or over their tenant's quota;
// without that proof the answer is unknown. One that does not fit holds nothing. `fleet` is that of the plans.
void place_all(FleetState& fleet, std::vector<Plan*>& plans);

}  // namespace muster::plan

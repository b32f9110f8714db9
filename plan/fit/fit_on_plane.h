// A workload on one plane, through one queue: its roles with their pools, placed, and each level of the fit.
#pragma once

#include <span>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/nodes_as_read.h"
#include "plan/fleet/fleet_state.h"
#include "plan/plan.h"

namespace muster::plan {

struct FitRequest {
  const model::Workload* workload = nullptr;
  const model::Site* site = nullptr;            // never nullptr
  const model::Fleet* fleet = nullptr;          // nullptr: the site has none
  FleetState* state = nullptr;                  // of that fleet, kept between requests; nullptr: none is
  std::span<const model::NodesAsRead> nodes{};  // of its roles, where the file says it itself; empty: it does not
  bool one_flavor = false;                      // of such a file: the queue admits the pods of a role as one flavor
  bool flavor_by_replica = false;               // of such a file: and each replica by itself
  bool no_queue = false;                        // of such a file: it is in no queue and under no quota
};

// What a plan has of the plane that it is placed on. There may be many planes, and what else a plan has is long.
struct OnPlane {
  const model::Plane* plane = nullptr;
  const model::Queue* queue = nullptr;
  const model::Tenant* tenant = nullptr;
  std::vector<RolePlan> roles{}, placed{};
  Fit fit{};
};

// Fills in what the plane and the queue of `out` give. `coupled`: what the facts say of the workload. False: a role has
// no pool there, or the account is none of the site's; reported.
bool fit_on_plane(const FitRequest& request, bool coupled, OnPlane& out, Diagnostics& diagnostics);

}  // namespace muster::plan

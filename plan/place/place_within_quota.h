// Placements that a tenant's quotas allow, where nodes may be of several pools.
#pragma once

#include <optional>

#include "plan/fleet/fleet_state.h"
#include "plan/plan.h"

namespace muster::plan {

// Whose quotas count: of a tenant in a cohort, or beside others, with ceilings in their place (plan/quota/ceilings.h).
struct QuotaHolder {
  const model::Plane& plane;
  const model::Tenant* tenant;
  const model::Workload& workload;
};

// What the role, with all its nodes on its pool or, where its file lets it, on those that are alike, is over; nullopt:
// the quotas allow it somewhere, be there room or not.
std::optional<Certificate> beyond_quotas(const QuotaHolder& holder, const RolePlan& role);

// Whether the empty fleet has room for the role where the quotas allow it.
bool has_room_within_quotas(FleetState& fleet, const QuotaHolder& holder, const RolePlan& role);

// Of a role that may have nodes of several pools: where the placement of `fit` is over the quota of one, another that
// is over none, if there is one, and its level now. Returns what every placement is over; where that is not known, the
// note of level policy says so.
std::optional<Certificate> place_within_quotas(FleetState& fleet, const QuotaHolder& holder, RolePlan& role, Fit& fit);

// Of several roles as they were placed: over which quota their nodes are. Refuted where roles that may go to no other
// pool are over it by themselves; else the answer is unknown.
void hold_to_quotas(const QuotaHolder& holder, const std::vector<RolePlan>& roles, Fit& fit);

}  // namespace muster::plan

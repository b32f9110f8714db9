// Which team a workload counts for, and what the team's quotas say.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/plan.h"

namespace muster::plan {

// The tenant that the workload's account names: as one of its accounts, its namespace or its own name.
// Without an account that of the plane's namespace, else the only one that may use the queue. nullptr:
// the site does not say.
const model::Tenant* tenant_of(const model::Workload& workload, const model::Site& site, const model::Plane& plane,
                               const model::Queue* queue);

// Whether the tenant may use the queue at all.
bool may_use(const model::Tenant& tenant, const model::Queue& queue);

// What a whole workload asks for, all its roles together. Amounts that no role states and no pool implies count
// nothing.
struct Demand {
  std::int64_t nodes = 0;
  std::int64_t gpus = 0;
  std::int64_t cpus = 0;
  Size memory{};
  std::int64_t pods = 0;        // on planes of pods, with those that operators add
  std::int64_t added_pods = 0;  // these

  Demand& operator+=(const Demand& more);
};

// Of one node of a role, as the plane counts it: what a pod requests is the lower end of a range.
Demand demand_of_node(const RolePlan& role, const model::Plane& plane);

// Of the pods that operators add to the workload's on the plane.
Demand demand_of_added(const model::Workload& workload, const model::Plane& plane);

// `count` times as much.
Demand times(std::int64_t count, const Demand& each);

// The tenant's quota of a pool that the demand is over; nullopt if it is within, or there is none.
std::optional<Certificate> over_quota(const model::Tenant* tenant, const model::Pool& pool, const Demand& demand);

}  // namespace muster::plan

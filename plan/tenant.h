// Which team a workload counts for, and what the team's quotas say.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/amounts.h"
#include "plan/plan.h"

namespace muster::plan {

// The tenant that the workload's account names: as one of its accounts, its namespace or its own name.
// Without an account that of the plane's namespace, else the only one that may use the queue. nullptr:
// the site does not say.
const model::Tenant* tenant_of(const model::Workload& workload, const model::Site& site, const model::Plane& plane,
                               const model::Queue* queue);

// Whether the tenant may use the queue at all.
bool may_use(const model::Tenant& tenant, const model::Queue& queue);

Amounts sum_of(const AmountsByPool& amounts);

// Which amount of the quota is too small for what is asked of its pools.
std::optional<Certificate> over_quota(const model::Tenant& tenant, const model::Quota& quota, const Amounts& asked);

// A quota of the pool that these amounts, all on it, are over; nullopt if they are within, or there is none. The tenant
// has ceilings (plan/ceilings.h) where it is in a cohort.
std::optional<Certificate> over_quota(const model::Tenant* tenant, std::string_view pool, const Amounts& asked);
// The same of amounts of several pools: the first that is over. `all`: with what is on other pools than these.
std::optional<Certificate> over_quotas(const model::Tenant* tenant, const AmountsByPool& asked, const Amounts& all);
std::optional<Certificate> over_quotas(const model::Tenant* tenant, const AmountsByPool& asked);

}  // namespace muster::plan

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

// The tenant's quota of a pool that these amounts are over; nullopt if it is within, or there is none.
std::optional<Certificate> over_quota(const model::Tenant* tenant, std::string_view pool, const Amounts& asked);
// The same of several pools, and of all together: the first that is over. `all`: with what is on other pools than
// these.
std::optional<Certificate> over_quotas(const model::Tenant* tenant, const AmountsByPool& asked, const Amounts& all);
std::optional<Certificate> over_quotas(const model::Tenant* tenant, const AmountsByPool& asked);

}  // namespace muster::plan

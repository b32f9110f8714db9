// Ceilings: the most that a tenant may use of a set of pools, by its own quotas and by what its cohorts lend it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/site.h"
#include "plan/plan.h"
#include "plan/quota/amounts.h"

namespace muster::plan {

// The pools that a quota counts together, sorted: those it lists, those of the flavor of its name, else the pool of its
// name. Empty: all of the site.
std::vector<std::string> pools_of(const model::Quota& quota, const model::Site& site);

// Whether a ceiling, or a quota of its own pools, is of the pool; `all_pools` is the set of all.
bool counts_pool(const model::Quota& quota, std::string_view pool);
// What is asked of all its pools together.
Amounts asked_of(const model::Quota& quota, const AmountsByPool& asked, const Amounts& all);
// "pool a", "pools a and b", "all pools together"
std::string pools_text(const model::Quota& quota);

// Whether anything bounds what the tenant may use.
inline bool is_bounded(const model::Tenant& tenant) { return !tenant.quotas.empty() || tenant.cohort; }

// What the tenant uses of these pools (empty: all) beside what is asked.
using UsedBy = std::function<Amounts(const model::Tenant& tenant, const std::vector<std::string>& pools)>;

// The tenant with ceilings in place of its quotas: each names its pools, and its amounts are the most that the tenant
// may use where the others of its cohorts use what `used` says. Outside of a cohort these are its quotas.
model::Tenant with_ceilings(const model::Tenant& tenant, const model::Site& site, const model::Plane& plane,
                            const UsedBy& used = {});

// What of the amounts of the tenant is borrowed of its cohorts: "32 GPUs of pool h100 and 8 CPUs of pool c"; "":
// nothing. `asked`: with what its other workloads use.
std::string borrowed_text(const model::Tenant& tenant, const model::Site& site, const AmountsByPool& asked,
                          const UsedBy& used = {});

// Which amount of the quota is too small for what is asked of its pools.
std::optional<Certificate> over_quota(const model::Tenant& tenant, const model::Quota& quota, const Amounts& asked);

// A quota of the pool that these amounts, all on it, are over; nullopt if they are within, or there is none. The tenant
// has ceilings (plan/quota/ceilings.h) where it is in a cohort.
std::optional<Certificate> over_quota(const model::Tenant* tenant, std::string_view pool, const Amounts& asked);
// The same of amounts of several pools: the first that is over. `all`: with what is on other pools than these.
std::optional<Certificate> over_quotas(const model::Tenant* tenant, const AmountsByPool& asked, const Amounts& all);
std::optional<Certificate> over_quotas(const model::Tenant* tenant, const AmountsByPool& asked);

}  // namespace muster::plan

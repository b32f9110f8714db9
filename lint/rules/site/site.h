// Sites and fleets by themselves: checked before the first workload runs.
#pragma once

#include <string>
#include <vector>

#include "compiler/model/policy.h"
#include "lint/context.h"
#include "lint/finding.h"

namespace muster::lint {

// The findings of a site with its fleet (nullptr: it has none), under the policy that is in force there; the subject is
// "site/NAME". What a workload brings to light too is reported in the same words at the same place, so that it is
// listed once.
std::vector<Finding> check_site(const Sources& sources, const model::Site& site, const model::Fleet* fleet,
                                const model::Policy& policy);

// The findings of a fleet by itself, whatever site runs it; the subject is "fleet/NAME".
std::vector<Finding> check_fleet(const model::Fleet& fleet);

// The findings that a workload shares with its site, without a subject. nullopt: there is nothing to say.

// DEC003: a k3s plane on `nodes` nodes.
std::optional<Finding> k3s_beyond(const model::Plane& plane, std::int64_t nodes, const model::Policy& policy);
// DEC005: a Slurm and a Kubernetes plane that may give out the same nodes.
std::optional<Finding> shared_nodes(const model::Site& site);
// SCH001: a plane of pods with a pool for jobs over several nodes, at a site where no plane starts any.
std::optional<Finding> without_gangs(const model::Site& site, const model::Fleet& fleet, const model::Plane& plane);
// NET001: a pool whose fabric the site does not say how pods of the plane ask for.
// SCH009: gangs on the pool may be spread over its leaf switches, for the plane declares no level by which its gang
// scheduler places them.
std::optional<Finding> without_levels(const model::Plane& plane, const model::Pool& pool);
std::optional<Finding> unattached(const model::Site& site, const model::Plane& plane, const model::Pool& pool);
// QTA001: a tenant that may take all GPUs of a pool.
std::optional<Finding> unbounded(const model::Tenant& tenant, const model::Pool& pool);

// The GPUs of a pool that a tenant's quota allows; nullopt where it has none in GPUs.
std::optional<std::int64_t> bound_of(const model::Tenant& tenant, std::string_view pool);

}  // namespace muster::lint

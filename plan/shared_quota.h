// What several workloads use together: their tenants of each pool, and all of them of a queue's jobs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "plan/remaining_fleet.h"
#include "plan/tenant.h"

namespace muster::plan {

// "a, b, c, d and 3 others": the first of the plans, of which there are `all`.
std::string listed_names(const Plans& first, std::size_t all);

class SharedQuota {
 public:
  // Of these plans. Where only some are new, these alone are added.
  void hold(const Plans& plans);

  // What the plans of the tenant use of the pool.
  Amounts used(const model::Tenant* tenant, std::string_view pool) const;
  // What they leave of its quotas. The tenant has one, and the answer holds as long as the site.
  model::Tenant left(const model::Tenant& tenant) const;

  // Jobs of the plans in the queue, or 0 of none. Whoever submits the files is one user.
  std::int64_t jobs(const model::Queue* queue) const;

  // Whether the plan, on these nodes, is over its tenant's quota or its queue's number of jobs with them: nullopt where
  // it is alone, or within.
  std::optional<Certificate> over(const Plan& plan, const std::vector<PlacedNode>& nodes) const;

  // Whether that depends on where the others are: some of the tenant could have nodes of another pool, and without
  // them the plan is within the quota. A gang that may span pools is asked of all of these together.
  bool depends_on_pools(const Plan& plan, const std::vector<PlacedNode>& nodes) const;

 private:
  struct Group {
    AmountsByPool pools{};                             // of a tenant
    AmountsByPool bound{};                             // of these, what plans use that have no other pool
    std::set<std::set<const model::Pool*>> choices{};  // that each of the others has
    std::int64_t jobs = 0;                             // of a queue
    Plans first{};                                     // of its plans, those that a text names
    std::size_t plans = 0;

    void add(const Plan* plan);
  };

  std::optional<Certificate> over_tenant(const Plan& plan, const std::vector<PlacedNode>& nodes, bool bound) const;
  std::optional<Certificate> over_queue(const Plan& plan) const;

  Plans held_;
  std::map<const model::Tenant*, Group> groups_;
  std::map<const model::Queue*, Group> queues_;
};

}  // namespace muster::plan

// What several workloads use together: their tenants of each pool, and all of them of a queue's jobs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/plan.h"
#include "plan/quota/account_limits.h"
#include "plan/quota/amounts.h"
#include "plan/run/remaining_fleet.h"

namespace muster::plan {

// "a, b, c, d and 3 others": the first of the plans, of which there are `all`.
std::string listed_names(const Plans& first, std::size_t all);

class SharedQuota {
 public:
  // Of these plans. Where only some are new, these alone are added.
  void hold(const Plans& plans);

  // The tenant of the plan with what the plans leave of the most that it may use.
  model::Tenant left(const Plan& plan) const;
  // What the plan's tenant borrows of its cohorts where the plan is on these nodes: "8 GPUs of pool a"; "": nothing.
  std::string borrowed(const Plan& plan, const std::vector<PlacedNode>& nodes) const;

  // Jobs of the plans in the queue, or 0 of none. Whoever submits the files is one user.
  std::int64_t jobs(const model::Queue* queue) const;
  // The same of its tenant's accounts, and of its account in its queue.
  JobsBefore jobs_before(const Plan& plan) const;

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

  // What the plans of the tenant use of these pools (empty: all); `bound`: those that could be nowhere else.
  Amounts used(const model::Tenant& tenant, const std::vector<std::string>& pools, bool bound) const;
  model::Tenant ceilings(const Plan& plan, bool bound) const;
  std::size_t plans_of_others(const model::Tenant* tenant) const;
  std::optional<Certificate> over_tenant(const Plan& plan, const std::vector<PlacedNode>& nodes, bool bound) const;
  std::optional<Certificate> over_queue(const Plan& plan) const;
  std::optional<Certificate> over_accounts(const Plan& plan) const;

  Plans held_;
  std::map<const model::Tenant*, Group> groups_;
  std::map<const model::Queue*, Group> queues_;
  std::map<const model::Tenant*, Group> accounts_;
  std::map<std::pair<const model::Queue*, std::string>, Group> accounts_in_queues_;
};

}  // namespace muster::plan

// What the tenants of several workloads use of each pool together.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

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

  // What the plans of the tenant use of the pool; of neither may be none.
  Amounts used(const model::Tenant* tenant, const model::Pool* pool) const;

  // Whether the plan is over its tenant's quota with them, or alone: nullopt where it is alone, or within.
  std::optional<Certificate> over(const Plan& plan) const;

 private:
  struct Group {
    std::map<std::string_view, Amounts> pools;
    Plans first;  // of its plans, those that a text names
    std::size_t plans = 0;
  };

  Plans held_;
  std::map<const model::Tenant*, Group> groups_;
};

}  // namespace muster::plan

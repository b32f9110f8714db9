#include "plan/shared_quota.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "compiler/base/text.h"

namespace muster::plan {
namespace {

constexpr std::size_t shown = 4;

// What a plan has of each pool.
class PlanDemand {
 public:
  explicit PlanDemand(const Plan& plan) : plan_(plan) {
    for (const RolePlan& role : plan.placed) of_role_.emplace(role.role->name, amounts_of_node(role, *plan.plane));
  }

  template <class Take>
  void each(Take take) const {
    if (plan_.fit.placements.empty()) return;
    for (const PlacedNode& node : plan_.fit.placements) {
      const auto found = of_role_.find(node.role);
      Amounts one = found == of_role_.end() ? Amounts{1} : found->second;
      one.gpus = node.part ? 0 : static_cast<std::int64_t>(node.gpus.size());
      take(node.pool, one);
    }
    take(plan_.fit.placements.front().pool, amounts_added(*plan_.workload, *plan_.plane));
  }

 private:
  const Plan& plan_;
  std::unordered_map<std::string_view, Amounts> of_role_;
};

}  // namespace

std::string listed_names(const Plans& first, std::size_t all) {
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, first.size()); ++i)
    out += (i == 0 ? "" : ", ") + first[i]->workload->name;
  return all > shown ? out + " and " + counted(static_cast<long long>(all - shown), "other") : out;
}

void SharedQuota::hold(const Plans& plans) {
  if (!begins_with(plans, held_)) held_.clear(), groups_.clear();
  for (std::size_t i = held_.size(); i < plans.size(); ++i) {
    held_.push_back(plans[i]);
    const model::Tenant* tenant = plans[i]->tenant;
    if (tenant == nullptr || tenant->quotas.empty()) continue;
    Group& group = groups_[tenant];
    if (++group.plans <= shown) group.first.push_back(plans[i]);
    PlanDemand(*plans[i]).each([&](const std::string& pool, const Amounts& more) { group.pools[pool] += more; });
  }
}

Amounts SharedQuota::used(const model::Tenant* tenant, const model::Pool* pool) const {
  const auto found = groups_.find(tenant);
  if (found == groups_.end() || pool == nullptr) return {};
  const auto used = found->second.pools.find(pool->name);
  return used == found->second.pools.end() ? Amounts{} : used->second;
}

std::optional<Certificate> SharedQuota::over(const Plan& plan) const {
  const auto found = groups_.find(plan.tenant);
  if (found == groups_.end() || plan.roles.empty() || plan.roles.front().pool == nullptr) return std::nullopt;
  const model::Pool& pool = *plan.roles.front().pool;
  const Group& group = found->second;
  Amounts sum = used(plan.tenant, &pool);
  PlanDemand(plan).each([&](const std::string& name, const Amounts& more) {
    if (name == pool.name) sum += more;
  });
  std::optional<Certificate> over = over_quota(found->first, pool, sum);
  if (over) over->text = "with " + listed_names(group.first, group.plans) + " " + over->text;
  return over;
}

}  // namespace muster::plan

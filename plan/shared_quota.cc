#include "plan/shared_quota.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "compiler/base/text.h"

namespace muster::plan {
namespace {

constexpr std::size_t shown = 4;

void add(const PlacedNode& node, Demand& sum) {
  ++sum.nodes, sum.gpus += node.part ? 0 : static_cast<std::int64_t>(node.gpus.size());
}

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
    for (const PlacedNode& node : plans[i]->fit.placements) add(node, group.pools[node.pool]);
  }
}

std::optional<Certificate> SharedQuota::over(const Plan& plan) const {
  const auto found = groups_.find(plan.tenant);
  if (found == groups_.end() || plan.roles.empty() || plan.roles.front().pool == nullptr) return std::nullopt;
  const model::Pool& pool = *plan.roles.front().pool;
  const Group& group = found->second;
  const auto used = group.pools.find(pool.name);
  Demand sum = used == group.pools.end() ? Demand{} : used->second;
  for (const PlacedNode& node : plan.fit.placements)
    if (node.pool == pool.name) add(node, sum);
  std::optional<Certificate> over = over_quota(found->first, pool, sum);
  if (over) over->text = "with " + listed_names(group.first, group.plans) + " " + over->text;
  return over;
}

}  // namespace muster::plan

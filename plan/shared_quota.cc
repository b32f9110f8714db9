#include "plan/shared_quota.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/base/text.h"
#include "plan/contents.h"
#include "plan/demand.h"
#include "plan/place.h"

namespace muster::plan {
namespace {

constexpr std::size_t shown = 4;

AmountsByPool amounts_of(const Plan& plan, const std::vector<PlacedNode>& nodes) {
  return amounts_by_pool(*plan.workload, plan.placed, *plan.plane, nodes);
}

using PoolSet = std::set<const model::Pool*>;

// All that its roles could be on, with any of its options.
void add_pools(const Plan& plan, PoolSet& pools) {
  for (const RolePlan& role : plan.placed) pools.insert(role.allowed.begin(), role.allowed.end());
  for (const Plan& option : plan.others) add_pools(option, pools);
}

// Whether nothing of the plan could be on another pool than it is.
bool is_bound(const Plan& plan) {
  return plan.others.empty() && std::all_of(plan.placed.begin(), plan.placed.end(),
                                            [](const RolePlan& role) { return role.allowed.size() < 2; });
}

// Whether the plan is one gang that may have nodes of several pools.
bool spans(const Plan& plan) { return plan.placed.size() == 1 && plan.placed.front().may_span_pools(); }

}  // namespace

std::string listed_names(const Plans& first, std::size_t all) {
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, first.size()); ++i)
    out += (i == 0 ? "" : ", ") + first[i]->workload->name;
  return all > shown ? out + " and " + counted(static_cast<long long>(all - shown), "other") : out;
}

void SharedQuota::Group::add(const Plan* plan) {
  if (++plans <= shown) first.push_back(plan);
}

void SharedQuota::hold(const Plans& plans) {
  if (!begins_with(plans, held_)) held_.clear(), groups_.clear(), queues_.clear();
  for (std::size_t i = held_.size(); i < plans.size(); ++i) {
    held_.push_back(plans[i]);
    Group& line = queues_[plans[i]->queue];
    line.add(plans[i]);
    line.jobs += jobs_of(*plans[i]->workload, demand_of(*plans[i]->workload).needed);
    const model::Tenant* tenant = plans[i]->tenant;
    if (tenant == nullptr || tenant->quotas.empty()) continue;
    Group& group = groups_[tenant];
    group.add(plans[i]);
    const bool bound = is_bound(*plans[i]);
    for (const auto& [pool, more] : amounts_of(*plans[i], plans[i]->fit.placements)) {
      group.pools[pool] += more;
      if (bound) group.bound[pool] += more;
    }
    if (bound) continue;
    PoolSet pools;
    add_pools(*plans[i], pools);
    group.choices.insert(std::move(pools));
  }
}

Amounts SharedQuota::used(const model::Tenant* tenant, std::string_view pool) const {
  const auto found = groups_.find(tenant);
  if (found == groups_.end()) return {};
  if (pool == model::all_pools) return sum_of(found->second.pools);
  const auto used = found->second.pools.find(pool);
  return used == found->second.pools.end() ? Amounts{} : used->second;
}

model::Tenant SharedQuota::left(const model::Tenant& tenant) const {
  model::Tenant out = tenant;
  for (model::Quota& quota : out.quotas) {
    const Amounts taken = used(&tenant, quota.pool.value);
    const auto take = [](model::Optional<std::int64_t>& most, std::int64_t used) {
      if (most) most->value = std::max<std::int64_t>(0, most->value - used);
    };
    take(quota.gpus, taken.gpus), take(quota.nodes, taken.nodes), take(quota.cpus, taken.cpus);
    take(quota.pods, taken.pods);
    if (quota.memory)
      quota.memory->value.bytes = std::max<std::int64_t>(0, quota.memory->value.bytes - taken.memory.bytes);
  }
  return out;
}

std::int64_t SharedQuota::jobs(const model::Queue* queue) const {
  const auto found = queues_.find(queue);
  return queue == nullptr || found == queues_.end() ? 0 : found->second.jobs;
}

std::optional<Certificate> SharedQuota::over(const Plan& plan, const std::vector<PlacedNode>& nodes) const {
  std::optional<Certificate> found = over_tenant(plan, nodes, false);
  return found ? found : over_queue(plan);
}

bool SharedQuota::depends_on_pools(const Plan& plan, const std::vector<PlacedNode>& nodes) const {
  if (!over_tenant(plan, nodes, false)) return false;
  Amounts all = sum_of(amounts_of(plan, nodes));
  all += used(plan.tenant, model::all_pools);
  if (over_quota(plan.tenant, model::all_pools, all)) return false;  // on whichever pools they are
  if (!spans(plan)) return !over_tenant(plan, nodes, true);
  PoolSet own;
  add_pools(plan, own);
  const auto& choices = groups_.at(plan.tenant).choices;
  return std::any_of(choices.begin(), choices.end(), [&](const PoolSet& pools) {
    const auto inside = std::count_if(pools.begin(), pools.end(), [&](const auto* pool) { return own.contains(pool); });
    return inside > 0 && inside < std::ssize(pools);
  });
}

std::optional<Certificate> SharedQuota::over_queue(const Plan& plan) const {
  const std::int64_t before = jobs(plan.queue);
  if (before == 0) return std::nullopt;
  const std::int64_t units = demand_of(*plan.workload).needed;
  std::optional<Certificate> over = over_jobs(*plan.queue, *plan.workload, *plan.plane, units, before);
  const Group& line = queues_.at(plan.queue);
  if (over) over->text = "with " + listed_names(line.first, line.plans) + " " + over->text;
  return over;
}

std::optional<Certificate> SharedQuota::over_tenant(const Plan& plan, const std::vector<PlacedNode>& nodes,
                                                    bool bound) const {
  const auto found = groups_.find(plan.tenant);
  if (found == groups_.end()) return std::nullopt;
  const Group& group = found->second;
  const AmountsByPool& held = bound ? group.bound : group.pools;
  AmountsByPool asked = amounts_of(plan, nodes);
  Amounts all = sum_of(asked);
  all += sum_of(group.pools);  // on whichever pools the others are
  for (auto& [pool, sum] : asked)
    if (const auto used = held.find(pool); used != held.end()) sum += used->second;
  std::optional<Certificate> over = over_quotas(found->first, asked, all);
  if (over) over->text = "with " + listed_names(group.first, group.plans) + " " + over->text;
  return over;
}

}  // namespace muster::plan

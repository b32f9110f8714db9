#include "plan/run/shared_quota.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/base/text.h"
#include "plan/demand.h"
#include "plan/quota/ceilings.h"
#include "plan/quota/job_limits.h"

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
  if (!begins_with(plans, held_))
    held_.clear(), groups_.clear(), queues_.clear(), accounts_.clear(), accounts_in_queues_.clear();
  for (std::size_t i = held_.size(); i < plans.size(); ++i) {
    held_.push_back(plans[i]);
    const std::int64_t jobs = jobs_of(*plans[i]->workload, demand_of(*plans[i]->workload).needed);
    for (Group* line : {&queues_[plans[i]->queue], &accounts_[plans[i]->tenant],
                        &accounts_in_queues_[{plans[i]->queue, plans[i]->account}]})
      line->add(plans[i]), line->jobs += jobs;
    const model::Tenant* tenant = plans[i]->tenant;
    if (tenant == nullptr || !is_bounded(*tenant)) continue;
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

Amounts SharedQuota::used(const model::Tenant& tenant, const std::vector<std::string>& pools, bool bound) const {
  const auto found = groups_.find(&tenant);
  if (found == groups_.end()) return {};
  const AmountsByPool& by_pool = bound ? found->second.bound : found->second.pools;
  if (pools.empty()) return sum_of(by_pool);
  Amounts out;
  for (const std::string& pool : pools)
    if (const auto used = by_pool.find(pool); used != by_pool.end()) out += used->second;
  return out;
}

// What the tenant of the plan may use beside the others of its cohorts, with what its own plans use.
model::Tenant SharedQuota::ceilings(const Plan& plan, bool bound) const {
  return with_ceilings(*plan.tenant, *plan.site, *plan.plane,
                       [&](const model::Tenant& tenant, const std::vector<std::string>& pools) {
                         return &tenant == plan.tenant ? Amounts{} : used(tenant, pools, bound);
                       });
}

model::Tenant SharedQuota::left(const Plan& plan) const {
  model::Tenant out = ceilings(plan, false);
  for (model::Quota& quota : out.quotas) {
    std::vector<std::string> pools;
    for (const auto& pool : quota.pools) pools.push_back(pool.value);
    const Amounts taken = used(*plan.tenant, pools, false);
    const auto take = [](model::Optional<std::int64_t>& most, std::int64_t amount) {
      if (most) most->value = std::max<std::int64_t>(0, most->value - amount);
    };
    take(quota.gpus, taken.gpus), take(quota.nodes, taken.nodes), take(quota.cpus, taken.cpus);
    take(quota.pods, taken.pods);
    if (quota.memory)
      quota.memory->value.bytes = std::max<std::int64_t>(0, quota.memory->value.bytes - taken.memory.bytes);
  }
  return out;
}

std::string SharedQuota::borrowed(const Plan& plan, const std::vector<PlacedNode>& nodes) const {
  if (plan.tenant == nullptr || !plan.tenant->cohort) return {};
  AmountsByPool asked = amounts_of(plan, nodes);
  if (const auto own = groups_.find(plan.tenant); own != groups_.end())
    for (const auto& [pool, more] : own->second.pools) asked[pool] += more;
  return borrowed_text(
      *plan.tenant, *plan.site, asked,
      [&](const model::Tenant& tenant, const std::vector<std::string>& pools) { return used(tenant, pools, false); });
}

std::int64_t SharedQuota::jobs(const model::Queue* queue) const {
  const auto found = queues_.find(queue);
  return queue == nullptr || found == queues_.end() ? 0 : found->second.jobs;
}

std::optional<Certificate> SharedQuota::over(const Plan& plan, const std::vector<PlacedNode>& nodes) const {
  if (auto found = over_tenant(plan, nodes, false)) return found;
  if (auto found = over_queue(plan)) return found;
  return over_accounts(plan);
}

bool SharedQuota::depends_on_pools(const Plan& plan, const std::vector<PlacedNode>& nodes) const {
  if (!over_tenant(plan, nodes, false)) return false;
  Amounts all = sum_of(amounts_of(plan, nodes));
  all += used(*plan.tenant, {}, false);
  const model::Tenant own = ceilings(plan, false);
  if (over_quota(&own, model::all_pools, all)) return false;  // on whichever pools they are
  if (!spans(plan)) return !over_tenant(plan, nodes, true);
  PoolSet pools;
  add_pools(plan, pools);
  const auto cut = [&](const PoolSet& others) {
    const auto inside = std::count_if(others.begin(), others.end(), [&](const auto* p) { return pools.contains(p); });
    return inside > 0 && inside < std::ssize(others);
  };
  return std::any_of(groups_.begin(), groups_.end(), [&](const auto& entry) {
    const bool shares = entry.first == plan.tenant || (entry.first->cohort && plan.tenant->cohort);
    return shares && std::any_of(entry.second.choices.begin(), entry.second.choices.end(), cut);
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

JobsBefore SharedQuota::jobs_before(const Plan& plan) const {
  JobsBefore out;
  if (const auto found = accounts_.find(plan.tenant); plan.tenant != nullptr && found != accounts_.end())
    out.of_tenant = found->second.jobs;
  if (const auto found = accounts_in_queues_.find({plan.queue, plan.account});
      plan.queue != nullptr && found != accounts_in_queues_.end())
    out.of_account_in_queue = found->second.jobs;
  return out;
}

std::optional<Certificate> SharedQuota::over_accounts(const Plan& plan) const {
  const JobsBefore before = jobs_before(plan);
  if (before.of_tenant + before.of_account_in_queue == 0) return std::nullopt;
  auto over =
      over_account(plan.tenant, plan.queue, *plan.workload, *plan.plane, demand_of(*plan.workload).needed, before);
  if (over) over->text = "with " + listed_names(held_, held_.size()) + " " + over->text;
  return over;
}

std::optional<Certificate> SharedQuota::over_tenant(const Plan& plan, const std::vector<PlacedNode>& nodes,
                                                    bool bound) const {
  if (plan.tenant == nullptr || !is_bounded(*plan.tenant)) return std::nullopt;
  const auto found = groups_.find(plan.tenant);
  if (found == groups_.end() && !plan.tenant->cohort) return std::nullopt;
  AmountsByPool asked = amounts_of(plan, nodes);
  Amounts all = sum_of(asked);
  if (found != groups_.end()) {
    all += sum_of(found->second.pools);  // on whichever pools the others are
    const AmountsByPool& held = bound ? found->second.bound : found->second.pools;
    for (auto& [pool, sum] : asked)
      if (const auto used = held.find(pool); used != held.end()) sum += used->second;
    for (const auto& [pool, more] : held) asked.try_emplace(pool, more);
  }
  const model::Tenant own = ceilings(plan, bound);
  std::optional<Certificate> over = over_quotas(&own, asked, all);
  if (!over) return over;
  if (found != groups_.end())
    over->text = "with " + listed_names(found->second.first, found->second.plans) + " " + over->text;
  if (plan.tenant->cohort && plans_of_others(plan.tenant) > 0) over->text += " beside others of the cohort";
  return over;
}

std::size_t SharedQuota::plans_of_others(const model::Tenant* tenant) const {
  std::size_t out = 0;
  for (const auto& [other, group] : groups_)
    if (other != tenant && other->cohort) out += group.plans;
  return out;
}

}  // namespace muster::plan

#include "plan/shared_quota.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "compiler/base/text.h"
#include "plan/demand.h"
#include "plan/place.h"

namespace muster::plan {
namespace {

constexpr std::size_t shown = 4;

// What a plan has of each pool.
class PlanDemand {
 public:
  PlanDemand(const Plan& plan, const std::vector<PlacedNode>& nodes) : plan_(plan), nodes_(nodes) {
    for (const RolePlan& role : plan.placed) of_role_.emplace(role.role->name, amounts_of_node(role, *plan.plane));
  }

  template <class Take>
  void each(Take take) const {
    if (nodes_.empty()) return;
    for (const PlacedNode& node : nodes_) {
      const auto found = of_role_.find(node.role);
      Amounts one = found == of_role_.end() ? Amounts{1} : found->second;
      one.gpus = node.part ? 0 : static_cast<std::int64_t>(node.gpus.size());
      take(node.pool, one);
    }
    take(nodes_.front().pool, amounts_added(*plan_.workload, *plan_.plane));
  }

 private:
  const Plan& plan_;
  const std::vector<PlacedNode>& nodes_;
  std::unordered_map<std::string_view, Amounts> of_role_;
};

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
    PlanDemand(*plans[i], plans[i]->fit.placements).each([&](const std::string& pool, const Amounts& more) {
      group.pools[pool] += more;
    });
  }
}

Amounts SharedQuota::used(const model::Tenant* tenant, const model::Pool* pool) const {
  const auto found = groups_.find(tenant);
  if (found == groups_.end() || pool == nullptr) return {};
  const auto used = found->second.pools.find(pool->name);
  return used == found->second.pools.end() ? Amounts{} : used->second;
}

std::int64_t SharedQuota::jobs(const model::Queue* queue) const {
  const auto found = queues_.find(queue);
  return queue == nullptr || found == queues_.end() ? 0 : found->second.jobs;
}

std::optional<Certificate> SharedQuota::over(const Plan& plan, const std::vector<PlacedNode>& nodes) const {
  std::optional<Certificate> found = over_tenant(plan, nodes);
  return found ? found : over_queue(plan);
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

std::optional<Certificate> SharedQuota::over_tenant(const Plan& plan, const std::vector<PlacedNode>& nodes) const {
  const auto found = groups_.find(plan.tenant);
  if (found == groups_.end() || plan.roles.empty() || plan.roles.front().pool == nullptr) return std::nullopt;
  const model::Pool& pool = *plan.roles.front().pool;
  const Group& group = found->second;
  Amounts sum = used(plan.tenant, &pool);
  PlanDemand(plan, nodes).each([&](const std::string& name, const Amounts& more) {
    if (name == pool.name) sum += more;
  });
  std::optional<Certificate> over = over_quota(found->first, pool, sum);
  if (over) over->text = "with " + listed_names(group.first, group.plans) + " " + over->text;
  return over;
}

}  // namespace muster::plan

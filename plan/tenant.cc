#include "plan/tenant.h"

#include <algorithm>
#include <string_view>

#include "compiler/base/text.h"
#include "compiler/model/added_pods.h"
#include "scheduler/saturate.h"

namespace muster::plan {
namespace {

using model::Tenant;
using scheduler::product;
using scheduler::sum;

template <class Belongs>
const Tenant* only_one(const model::Site& site, Belongs belongs) {
  const Tenant* found = nullptr;
  for (const Tenant& tenant : site.tenants) {
    if (!belongs(tenant)) continue;
    if (found != nullptr) return nullptr;
    found = &tenant;
  }
  return found;
}

bool names(const std::vector<model::Located<std::string>>& list, std::string_view wanted) {
  return std::any_of(list.begin(), list.end(), [&](const auto& item) { return item.value == wanted; });
}

bool is_account(const Tenant& tenant, const std::string& account) {
  return names(tenant.accounts, account) || tenant.name == account ||
         (tenant.name_space && tenant.name_space->value == account);
}

Certificate over(const Tenant& tenant, const model::Pool& pool, std::int64_t need, std::int64_t have,
                 const std::string& asked, const std::string& allowed) {
  return {"quota", need, have, need - have,
          "requests " + asked + " of pool " + pool.name + "; tenant " + tenant.name + " can use " + allowed};
}

}  // namespace

const Tenant* tenant_of(const model::Workload& workload, const model::Site& site, const model::Plane& plane,
                        const model::Queue* queue) {
  if (workload.account) return only_one(site, [&](const Tenant& t) { return is_account(t, workload.account->value); });
  const Tenant* found = nullptr;
  const model::PodPlane* pods = plane.pods();
  if (pods != nullptr && pods->name_space)
    found =
        only_one(site, [&](const Tenant& t) { return t.name_space && t.name_space->value == pods->name_space->value; });
  return found != nullptr ? found
                          : only_one(site, [&](const Tenant& t) { return queue == nullptr || may_use(t, *queue); });
}

bool may_use(const Tenant& tenant, const model::Queue& queue) {
  return tenant.queues.empty() || names(tenant.queues, queue.name);
}

Demand& Demand::operator+=(const Demand& more) {
  nodes = sum(nodes, more.nodes), gpus = sum(gpus, more.gpus), cpus = sum(cpus, more.cpus);
  memory.bytes = sum(memory.bytes, more.memory.bytes);
  pods = sum(pods, more.pods), added_pods = sum(added_pods, more.added_pods);
  return *this;
}

Demand times(std::int64_t count, const Demand& each) {
  return {product(count, each.nodes), product(count, each.gpus),
          product(count, each.cpus),  Size{product(count, each.memory.bytes)},
          product(count, each.pods),  product(count, each.added_pods)};
}

Demand demand_of_node(const RolePlan& role, const model::Plane& plane) {
  const bool pods = plane.pods() != nullptr;
  Demand out{1, role.gpus, role.cpus.value_or(0), role.memory.value_or(Size{}), pods ? 1 : 0};
  const model::Resources& asked = role.role->resources;
  if (pods && asked.cpus && !asked.cpus->value.all) out.cpus = asked.cpus->value.low;
  if (pods && asked.memory && !asked.memory->value.all) out.memory = asked.memory->value.low;
  return out;
}

Demand demand_of_added(const model::Workload& workload, const model::Plane& plane) {
  const model::AddedDemand added = model::added_demand(workload, plane);
  return {0, 0, (added.millicpus + 999) / 1000, added.memory, added.pods, added.pods};
}

std::optional<Certificate> over_quota(const Tenant* tenant, const model::Pool& pool, const Demand& demand) {
  if (tenant == nullptr) return std::nullopt;
  for (const model::Quota& quota : tenant->quotas) {
    if (quota.pool.value != pool.name) continue;
    const auto above = [&](const model::Optional<std::int64_t>& most, std::int64_t need, std::string_view noun,
                           const std::string& more = {}) -> std::optional<Certificate> {
      if (!most || need <= most->value) return std::nullopt;
      return over(*tenant, pool, need, most->value, counted(need, noun) + more, std::to_string(most->value));
    };
    if (auto found = above(quota.gpus, demand.gpus, "GPU")) return found;
    if (auto found = above(quota.nodes, demand.nodes, "node")) return found;
    if (auto found = above(quota.cpus, demand.cpus, "CPU")) return found;
    if (quota.memory && demand.memory > quota.memory->value)
      return over(*tenant, pool, demand.memory.bytes, quota.memory->value.bytes,
                  to_string(demand.memory) + " of memory", to_string(quota.memory->value));
    const std::string added =
        demand.added_pods > 0 ? ", " + std::to_string(demand.added_pods) + " by its operator," : "";
    if (auto found = above(quota.pods, demand.pods, "pod", added)) return found;
  }
  return std::nullopt;
}

}  // namespace muster::plan

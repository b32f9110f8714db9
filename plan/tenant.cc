#include "plan/tenant.h"

#include <algorithm>
#include <string_view>

#include "compiler/base/text.h"

namespace muster::plan {
namespace {

using model::Tenant;

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
                 std::string_view noun) {
  return {"quota", need, have, need - have,
          "requests " + counted(need, noun) + " of pool " + pool.name + "; tenant " + tenant.name + " can use " +
              std::to_string(have)};
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

std::optional<Certificate> over_quota(const Tenant* tenant, const model::Pool& pool, const Demand& demand) {
  if (tenant == nullptr) return std::nullopt;
  for (const model::Quota& quota : tenant->quotas) {
    if (quota.pool.value != pool.name) continue;
    if (quota.gpus && demand.gpus > quota.gpus->value)
      return over(*tenant, pool, demand.gpus, quota.gpus->value, "GPU");
    if (quota.nodes && demand.nodes > quota.nodes->value)
      return over(*tenant, pool, demand.nodes, quota.nodes->value, "node");
  }
  return std::nullopt;
}

}  // namespace muster::plan

#include "plan/tenant.h"

#include <algorithm>
#include <string_view>

#include "compiler/base/in_one_unit.h"
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

Certificate over(const Tenant& tenant, std::string_view pool, std::int64_t need, std::int64_t have,
                 const std::string& wanted, const std::string& allowed) {
  const std::string of = pool == model::all_pools ? " of all pools together" : " of pool " + std::string(pool);
  return {"quota", need, have, need - have,
          "requests " + wanted + of + "; tenant " + tenant.name + " can use " + allowed};
}

}  // namespace

Amounts sum_of(const AmountsByPool& amounts) {
  Amounts out;
  for (const auto& [pool, more] : amounts) out += more;
  return out;
}

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

std::optional<Certificate> over_quota(const Tenant* tenant, std::string_view pool, const Amounts& asked) {
  if (tenant == nullptr) return std::nullopt;
  for (const model::Quota& quota : tenant->quotas) {
    if (quota.pool.value != pool) continue;
    const auto above = [&](const model::Optional<std::int64_t>& most, std::int64_t need, std::string_view noun,
                           const std::string& more = {}) -> std::optional<Certificate> {
      if (!most || need <= most->value) return std::nullopt;
      return over(*tenant, pool, need, most->value, counted(need, noun) + more, std::to_string(most->value));
    };
    if (auto found = above(quota.gpus, asked.gpus, "GPU")) return found;
    if (auto found = above(quota.nodes, asked.nodes, "node")) return found;
    if (auto found = above(quota.cpus, asked.cpus, "CPU")) return found;
    if (quota.memory && asked.memory > quota.memory->value) {
      const auto [need, have] = in_one_unit(asked.memory, quota.memory->value);
      return over(*tenant, pool, asked.memory.bytes, quota.memory->value.bytes, need + " of memory", have);
    }
    const std::string added = asked.added_pods > 0 ? ", " + std::to_string(asked.added_pods) + " by its operator," : "";
    if (auto found = above(quota.pods, asked.pods, "pod", added)) return found;
  }
  return std::nullopt;
}

std::optional<Certificate> over_quotas(const Tenant* tenant, const AmountsByPool& asked, const Amounts& all) {
  for (const auto& [pool, amounts] : asked)
    if (auto found = over_quota(tenant, pool, amounts)) return found;
  return over_quota(tenant, model::all_pools, all);
}

std::optional<Certificate> over_quotas(const Tenant* tenant, const AmountsByPool& asked) {
  return over_quotas(tenant, asked, sum_of(asked));
}

}  // namespace muster::plan

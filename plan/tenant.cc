#include "plan/tenant.h"

#include <algorithm>
#include <string_view>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "plan/ceilings.h"

namespace muster::plan {
namespace {

using model::Tenant;

// The tenant that belongs; of several the one that may use the queue. nullptr: there is none, or more than one.
template <class Belongs>
const Tenant* only_one(const model::Site& site, const model::Queue* queue, Belongs belongs) {
  std::vector<const Tenant*> found;
  for (const Tenant& tenant : site.tenants)
    if (belongs(tenant)) found.push_back(&tenant);
  if (found.size() > 1 && queue != nullptr)
    std::erase_if(found, [&](const Tenant* tenant) { return !may_use(*tenant, *queue); });
  return found.size() == 1 ? found.front() : nullptr;
}

bool names(const std::vector<model::Located<std::string>>& list, std::string_view wanted) {
  return std::any_of(list.begin(), list.end(), [&](const auto& item) { return item.value == wanted; });
}

bool is_account(const Tenant& tenant, const std::string& account) {
  return names(tenant.accounts, account) || tenant.name == account ||
         (tenant.name_space && tenant.name_space->value == account);
}

Certificate over(const Tenant& tenant, const model::Quota& quota, std::int64_t need, std::int64_t have,
                 const std::string& wanted, const std::string& allowed) {
  const std::string lent = tenant.cohort ? " with what cohort " + tenant.cohort->value + " lends it" : "";
  return {"quota", need, have, need - have,
          "requests " + wanted + " of " + pools_text(quota) + "; tenant " + tenant.name + " can use " + allowed + lent};
}

}  // namespace

std::optional<Certificate> over_quota(const Tenant& tenant, const model::Quota& quota, const Amounts& asked) {
  const auto more = [&](const model::Optional<std::int64_t>& most, std::int64_t need, std::string_view noun,
                        const std::string& added = {}) -> std::optional<Certificate> {
    if (!most || need <= most->value) return std::nullopt;
    return over(tenant, quota, need, most->value, counted(need, noun) + added, std::to_string(most->value));
  };
  if (auto found = more(quota.gpus, asked.gpus, "GPU")) return found;
  if (auto found = more(quota.nodes, asked.nodes, "node")) return found;
  if (auto found = more(quota.cpus, asked.cpus, "CPU")) return found;
  if (quota.memory && asked.memory > quota.memory->value) {
    const auto [need, have] = in_one_unit(asked.memory, quota.memory->value);
    return over(tenant, quota, asked.memory.bytes, quota.memory->value.bytes, need + " of memory", have);
  }
  const std::string added = asked.added_pods > 0 ? ", " + std::to_string(asked.added_pods) + " by its operator," : "";
  return more(quota.pods, asked.pods, "pod", added);
}

Amounts sum_of(const AmountsByPool& amounts) {
  Amounts out;
  for (const auto& [pool, more] : amounts) out += more;
  return out;
}

const Tenant* tenant_of(const model::Workload& workload, const model::Site& site, const model::Plane& plane,
                        const model::Queue* queue) {
  if (workload.account)
    return only_one(site, queue, [&](const Tenant& t) { return is_account(t, workload.account->value); });
  const Tenant* found = nullptr;
  const model::PodPlane* pods = plane.pods();
  if (pods != nullptr && pods->name_space)
    found = only_one(site, queue,
                     [&](const Tenant& t) { return t.name_space && t.name_space->value == pods->name_space->value; });
  return found != nullptr
             ? found
             : only_one(site, queue, [&](const Tenant& t) { return queue == nullptr || may_use(t, *queue); });
}

bool may_use(const Tenant& tenant, const model::Queue& queue) {
  return tenant.queues.empty() || names(tenant.queues, queue.name);
}

std::optional<Certificate> over_quota(const Tenant* tenant, std::string_view pool, const Amounts& asked) {
  if (tenant == nullptr) return std::nullopt;
  for (const model::Quota& quota : tenant->quotas)
    if (counts_pool(quota, pool))
      if (auto found = over_quota(*tenant, quota, asked)) return found;
  return std::nullopt;
}

std::optional<Certificate> over_quotas(const Tenant* tenant, const AmountsByPool& asked, const Amounts& all) {
  if (tenant == nullptr) return std::nullopt;
  for (const model::Quota& quota : tenant->quotas)
    if (auto found = over_quota(*tenant, quota, asked_of(quota, asked, all))) return found;
  return std::nullopt;
}

std::optional<Certificate> over_quotas(const Tenant* tenant, const AmountsByPool& asked) {
  return over_quotas(tenant, asked, sum_of(asked));
}

}  // namespace muster::plan

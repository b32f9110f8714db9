#include "plan/quota/tenant.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace

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

}  // namespace muster::plan

#include "plan/first_flavor.h"

#include <algorithm>
#include <string>
#include <utility>

#include "plan/ceilings.h"
#include "plan/members.h"
#include "plan/node_needs.h"
#include "plan/place_roles.h"
#include "scheduler/saturate.h"

namespace muster::plan {
namespace {

bool has(const Pools& pools, const model::Pool* pool) {
  return std::find(pools.begin(), pools.end(), pool) != pools.end();
}

// Whether the file of the role, as it is placed, is also one for these pools.
bool allows(const RolePlan& role, const Pools& pools) {
  return std::any_of(role.same_file.begin(), role.same_file.end(),
                     [&](const Pools& one) { return has(one, role.pool) && has(one, pools.front()); });
}

// The flavors that the file of the role allows, in the order of the tenant's quotas: a queue has no others.
std::vector<Pools> flavors_of(const RolePlan& role, const FlavorQuestion& question) {
  std::vector<Pools> out;
  for (const model::Quota& quota : question.tenant->quotas) {
    const std::vector<std::string> names = pools_of(quota, question.site);
    const auto is_named = [&](const model::Pool* pool) {
      return std::find(names.begin(), names.end(), pool->name) != names.end();
    };
    for (const model::Pool* pool : role.also)
      if (is_named(pool)) out.push_back({pool});
    for (const Pools& choice : role.choices) {
      const bool named = is_named(choice.front());
      if (named && allows(role, choice) && std::find(out.begin(), out.end(), choice) == out.end())
        out.push_back(choice);
    }
  }
  return out;
}

struct Taken {
  std::int64_t gpus = 0, cpus = 0, memory = 0;
};

// What roles have taken of each ceiling.
class Left {
 public:
  explicit Left(const model::Tenant& ceilings) : quotas_(ceilings.quotas), taken_(ceilings.quotas.size()) {}

  // Takes what the role asks of the ceilings of these pools; false: one of them does not cover it.
  bool take(const RolePlan& role, const Pools& pools) {
    const scheduler::Gang pod = gang_of(role);
    std::vector<Taken> after = taken_;
    for (std::size_t q = 0; q < quotas_.size(); ++q) {
      if (!counts_pool(quotas_[q], pools.front()->name)) continue;
      Taken& sum = after[q];
      sum.gpus = scheduler::sum(sum.gpus, scheduler::product(pod.nodes, pod.gpus));
      sum.cpus = scheduler::sum(sum.cpus, scheduler::product(pod.nodes, pod.cpus));
      sum.memory = scheduler::sum(sum.memory, scheduler::product(pod.nodes, pod.memory));
      const model::Quota& most = quotas_[q];
      if ((most.gpus && sum.gpus > most.gpus->value) || (most.cpus && sum.cpus > most.cpus->value) ||
          (most.memory && sum.memory > most.memory->value.bytes))
        return false;
    }
    taken_ = std::move(after);
    return true;
  }

 private:
  const std::vector<model::Quota>& quotas_;
  std::vector<Taken> taken_;
};

std::string reason(const model::Plane& plane, const std::string& pool, const std::string& role) {
  const std::string where = "Kueue on plane " + plane.name;
  if (plane.pods()->nearest_level(plane.pods()->gang) == nullptr)
    return where + " has no topology and admits by quota alone: it may choose a flavor of pool " + pool + " for role " +
           role + ", whose pods have no room there";
  return where + " chooses the flavor by quota: it may choose that of pool " + pool + " for role " + role +
         ", where there is no room for all pods, and the gang waits";
}

}  // namespace

void note_first_flavor(FleetState& state, const FlavorQuestion& question, const std::vector<RolePlan>& placed,
                       Fit& fit) {
  const model::PodPlane* pods = question.plane.pods();
  const auto alone = [](const RolePlan& role) { return role.flavors_by_replica || role.pool == nullptr; };
  if (pods == nullptr || pods->gang != model::GangProvider::kueue || fit.verdict != Verdict::fits ||
      !fit.otherwise.empty() || question.tenant == nullptr || std::any_of(placed.begin(), placed.end(), alone))
    return;
  Left left(*question.ceilings);
  std::vector<RolePlan> chosen;
  const RolePlan* other = nullptr;  // the first role that Kueue has elsewhere
  std::string there;
  for (const RolePlan& role : placed) {
    const std::vector<Pools> flavors = flavors_of(role, question);
    const auto first = std::find_if(flavors.begin(), flavors.end(), [&](const Pools& f) { return left.take(role, f); });
    chosen.push_back(role);
    if (first == flavors.end() || has(*first, role.pool)) {
      restrict_to(chosen.back(), role.choice());
      continue;
    }
    if (other == nullptr) other = &role, there = first->front()->name;
    restrict_to(chosen.back(), *first);
  }
  if (other == nullptr) return;
  const Fit found = place_roles(state, question.plane, question.queue, nullptr, question.workload, chosen);
  if (found.verdict != Verdict::fits) fit.otherwise = reason(question.plane, there, other->role->name);
}

}  // namespace muster::plan

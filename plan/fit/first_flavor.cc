#include "plan/fit/first_flavor.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "compiler/model/pods_target.h"
#include "plan/place/gang.h"
#include "plan/pools/contents.h"
#include "plan/pools/node_needs.h"
#include "plan/quota/ceilings.h"
#include "scheduler/saturate.h"

namespace muster::plan {
namespace {

bool has(const Pools& pools, const model::Pool* pool) {
  return std::find(pools.begin(), pools.end(), pool) != pools.end();
}

bool has_all(const Pools& pools, const Pools& others) {
  return std::all_of(others.begin(), others.end(), [&](const model::Pool* pool) { return has(pools, pool); });
}

struct Flavor {
  Pools pools;
  bool open = true;  // the file lets the role have their nodes
  bool operator==(const Flavor&) const = default;
};

// Whether the file of the role, as it is placed, is also one for these pools.
bool allows(const RolePlan& role, const Pools& pools) {
  return std::any_of(role.same_file.begin(), role.same_file.end(),
                     [&](const Pools& one) { return has(one, role.pool) && has(one, pools.front()); });
}

// Whether the file asks for GPUs in the words for those of the pools.
bool names_gpus_of(const RolePlan& role, const FlavorQuestion& question, const Pools& pools) {
  const auto words = [&](const model::Pool& pool) {
    return contents_of(role, question.site, question.plane, pool).gpu;
  };
  return words(*role.pool) == words(*pools.front());
}

// The flavors that the role may get, in the order of the tenant's quotas: a queue has no others. Kueue compares the
// selectors of a file with the labels that a flavor has. It has that of its GPUs; whether it has those of a zone, an
// architecture or a node is not declared, and then Kueue leaves them out.
std::vector<Flavor> flavors_of(const RolePlan& role, const FlavorQuestion& question) {
  std::vector<Flavor> out;
  const auto add = [&](Flavor flavor) {
    if (std::find(out.begin(), out.end(), flavor) == out.end()) out.push_back(std::move(flavor));
  };
  for (const model::Quota& quota : question.tenant->quotas) {
    const std::vector<std::string> names = pools_of(quota, question.site);
    const auto is_named = [&](const model::Pool* pool) {
      return std::find(names.begin(), names.end(), pool->name) != names.end();
    };
    for (const model::Pool* pool : role.also)
      if (is_named(pool)) add({{pool}});
    const std::size_t before = out.size();
    for (const Pools& choice : role.choices) {
      Pools pools;
      std::copy_if(choice.begin(), choice.end(), std::back_inserter(pools), is_named);
      if (!pools.empty() && allows(role, choice)) add({std::move(pools)});
    }
    if (out.size() > before) continue;
    for (const Pools& choice : role.choices)
      if (is_named(choice.front()) && !allows(role, choice) && names_gpus_of(role, question, choice))
        add({choice, false});
    for (const model::Pool* pool : role.overlooked)
      if (is_named(pool)) add({{pool}, false});
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
  bool take(const RolePlan& role, std::int64_t pods, const Pools& pools) {
    const scheduler::Gang pod = gang_of(role);
    std::vector<Taken> after = taken_;
    for (std::size_t q = 0; q < quotas_.size(); ++q) {
      if (!counts_pool(quotas_[q], pools.front()->name)) continue;
      Taken& sum = after[q];
      sum.gpus = scheduler::sum(sum.gpus, scheduler::product(pods, pod.gpus));
      sum.cpus = scheduler::sum(sum.cpus, scheduler::product(pods, pod.cpus));
      sum.memory = scheduler::sum(sum.memory, scheduler::product(pods, pod.memory));
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

// Pods of a role that get one flavor together. Of very many only the sum is looked at.
std::vector<std::int64_t> sets_of(const RolePlan& role) {
  constexpr std::int64_t most = 1000;
  const std::int64_t pods = role.total();
  std::vector<std::int64_t> out;
  switch (role.pod_sets) {
    case PodSets::by_pod:
      if (pods <= most) out.assign(static_cast<std::size_t>(pods), 1);
      break;
    case PodSets::by_replica:
      if (role.copies <= most) out.assign(static_cast<std::size_t>(role.copies), role.nodes);
      break;
    case PodSets::first_apart:
      for (std::int64_t copy = 0; copy < role.copies && role.nodes > 1 && role.copies <= most; ++copy)
        out.insert(out.end(), {1, role.nodes - 1});
      break;
    case PodSets::one: break;
  }
  return out.empty() ? std::vector{pods} : out;
}

// The same role with so many pods on these pools.
RolePlan part_of(const RolePlan& role, std::int64_t pods, const Pools& pools) {
  RolePlan out = role;
  if (pods != role.total()) out.nodes = pods, out.copies = 1;
  restrict_to(out, pools);
  return out;
}

}  // namespace

bool has_topology(const model::PodPlane& pods) {
  return pods.gang == model::GangProvider::kueue && pods.nearest_level(pods.gang) != nullptr;
}

PodSets pod_sets_of(const model::Workload& workload, const model::Plane& plane, bool coupled) {
  // With a topology the templates of a coupled role are one group, which has one flavor.
  if (plane.pods() == nullptr || has_topology(*plane.pods())) return PodSets::one;
  model::PodsShape shape = model::pods_shape(workload);
  shape.coupled = shape.trains && coupled;
  if (model::first_pod_is_apart(model::pods_target(shape, *plane.pods()))) return PodSets::first_apart;
  return shape.kind == model::Kind::serve ? PodSets::by_pod : PodSets::one;
}

FirstFlavors first_flavors(const FlavorQuestion& question, const std::vector<RolePlan>& placed) {
  FirstFlavors out;
  for (const RolePlan& role : placed) out.roles.push_back(part_of(role, role.total(), role.choice()));
  const model::PodPlane* pods = question.plane.pods();
  if (pods == nullptr || pods->gang != model::GangProvider::kueue || question.tenant == nullptr) return out;
  const bool topology = has_topology(*pods);
  // With a topology, a set that is admitted by itself gets the next flavor where Kueue finds no node of the first.
  const auto by_itself = [&](const RolePlan& role) {
    const bool parts = role.pod_sets == PodSets::by_pod || role.pod_sets == PodSets::by_replica;
    return role.pool == nullptr || (topology && (role.flavors_by_replica || parts));
  };
  if (std::any_of(placed.begin(), placed.end(), by_itself)) return out;
  const bool goes_on = topology && placed.size() == 1;
  Left left(*question.ceilings);
  out.roles.clear();
  for (const RolePlan& role : placed) {
    std::vector<Flavor> flavors = flavors_of(role, question);
    if (goes_on) std::erase_if(flavors, [](const Flavor& flavor) { return !flavor.open; });
    std::vector<std::pair<Pools, std::int64_t>> pods_on;
    for (const std::int64_t set : sets_of(role)) {
      const auto first =
          std::find_if(flavors.begin(), flavors.end(), [&](const Flavor& f) { return left.take(role, set, f.pools); });
      const bool stays = first == flavors.end() || (first->open && has_all(first->pools, role.choice()));
      if (!stays && out.other.empty()) out.other = role.role->name, out.pool = first->pools.front()->name;
      out.closed |= !stays && !first->open;
      const Pools on = first == flavors.end() ? role.choice() : first->pools;
      const auto same = std::find_if(pods_on.begin(), pods_on.end(), [&](const auto& one) { return one.first == on; });
      if (same == pods_on.end()) pods_on.emplace_back(on, set);
      else same->second += set;
    }
    for (const auto& [pools, count] : pods_on) out.roles.push_back(part_of(role, count, pools));
  }
  return out;
}

}  // namespace muster::plan

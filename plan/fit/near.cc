#include "plan/fit/near.h"

#include <algorithm>

namespace muster::plan {
namespace {

template <class T>
std::optional<T> value_of(const Facts& facts, std::string_view name) {
  const Fact* fact = facts.find(name);
  const T* value = fact == nullptr ? nullptr : std::get_if<T>(&fact->value);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

const model::TopologyLevel* level_of(const model::PodPlane& pods) { return pods.nearest_level(pods.gang); }

// Whether a workload that says nothing of `topology` is coupled tightly over several nodes.
bool wants_near(const Plan& plan) {
  return !names_domain(*plan.workload) && value_of<bool>(plan.facts, "tightly-coupled").value_or(false) &&
         value_of<std::int64_t>(plan.facts, "nodes").value_or(1) > 1;
}

// Whether the scheduler may spread such a gang over several of the leaf switches of its pool. Where a role names a
// domain itself, lowering says what becomes of that.
bool may_spread(const Plan& plan) {
  if (!plan.wants_near || plan.plane == nullptr || plan.plane->pods() == nullptr) return false;
  const auto spreads = [](const RolePlan& role) {
    return role.pool != nullptr && role.pool->leaves.size() > 1 && role.total() > 1;
  };
  return level_of(*plan.plane->pods()) == nullptr && std::any_of(plan.roles.begin(), plan.roles.end(), spreads);
}

}  // namespace

bool names_domain(const model::Workload& workload) {
  return std::any_of(workload.roles.begin(), workload.roles.end(),
                     [](const model::Role& role) { return role.topology.has_value(); });
}

std::string nearness(const model::Plane& plane) {
  const model::PodPlane& pods = *plane.pods();
  const std::string who = "plane " + plane.name, any = ", so the scheduler may use any leaf switch";
  if (const model::TopologyLevel* level = level_of(pods)) return who + " places gangs by level " + level->name;
  if (pods.gang == model::GangProvider::none) return who + " has no gang scheduler that places by topology" + any;
  if (model::level_key(pods.gang) == model::LevelKey::none)
    return std::string(name(pods.gang)) + " of " + who + " prefers no level of the topology" + any;
  const bool tier = model::level_key(pods.gang) == model::LevelKey::tier;
  return who + " declares no `level leaf { " + (tier ? "tier" : "label") + " = … }`" + any;
}

void set_nearness(Plan& plan) {
  plan.wants_near = wants_near(plan);
  plan.spread = may_spread(plan) ? nearness(*plan.plane) : std::string();
}

void note_spread(const Plan& plan, Fit& fit) {
  for (Level* level : {&fit.capacity, &fit.now})
    if (level->verdict == Verdict::fits && !plan.spread.empty())
      level->note += (level->note.empty() ? "" : "; ") + plan.spread;
}

}  // namespace muster::plan

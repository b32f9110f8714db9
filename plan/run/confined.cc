#include "plan/run/confined.h"

#include <algorithm>
#include <iterator>

#include "plan/place/gang.h"
#include "plan/pools/domains.h"

namespace muster::plan {
namespace {

constexpr std::size_t few = 8;  // of which find_line() asks about every set
constexpr std::uint32_t own[] = {0};

}  // namespace

ConfinedRoles::Shape ConfinedRoles::shape_of(const RolePlan& role, std::size_t number) {
  const model::Resources& asked = role.role->resources;
  const model::Topology* topology = topology_of(role);
  std::tuple<int, bool, std::int64_t, int> together{-1, false, 0, 0};
  if (topology != nullptr)
    together = {static_cast<int>(topology->within.value), topology->required,
                topology->segment ? topology->segment->value : 0, static_cast<int>(topology->segment_within.value)};
  const bool named = !role.only_nodes.empty() || !role.not_nodes.empty();
  return {role.nodes,
          role.copies,
          role.gpus,
          role.counted_cpus(),
          role.counted_memory(),
          {role.exclusive, role.all_cpus, role.all_memory, role.shares_nodes, role.nodes_are_pods, role.apart,
           role.disk.has_value()},
          asked.gpu_share ? asked.gpu_share->value : 0,
          asked.gpu_slice ? asked.gpu_slice->value : std::string(),
          role.queue,
          together,
          named || !role.held.empty() || role.inside ? number : 0};
}

void ConfinedRoles::add(const RolePlan& role, std::uint32_t plan, Table& table) {
  const auto [found, fresh] = table.numbers.try_emplace(shape_of(role, table.groups.size() + 1), table.groups.size());
  if (fresh) table.groups.push_back({role, 0, {}});
  Group& group = table.groups[found->second];
  ++group.count;
  if (group.plans.empty() || group.plans.back() != plan) group.plans.push_back(plan);
  table.one_a_plan &= table.plan_of.empty() || table.plan_of.back() != plan;
  table.all_alone &= gang_of(role).exclusive;
  table.group_of.push_back(found->second);
  table.plan_of.push_back(plan);
}

void ConfinedRoles::hold(const Plans& plans) {
  if (!begins_with(plans, held_)) held_.clear(), names_.clear(), tables_.clear();
  for (std::size_t i = held_.size(); i < plans.size(); ++i) {
    const Plan& plan = *plans[i];
    names_.push_back(plan.workload->name);
    for (const Moment moment : {Moment::empty, Moment::now}) {
      if (!holds(plan, moment)) continue;
      for (const RolePlan& role : plan.placed)
        if (role.allowed.size() == 1)
          add(role, static_cast<std::uint32_t>(i + 1), tables_[{role.allowed.front(), moment}]);
    }
    held_.push_back(plans[i]);
  }
}

CountedRoles ConfinedRoles::beside(const Plan& plan, const RolePlan& asked, const model::Pool& pool,
                                   Moment moment) const {
  CountedRoles out{{{&asked, 1, own}}, names_, plan.workload->name};
  for (const RolePlan& role : plan.placed)
    if (&role != &asked && role.allowed.size() == 1 && role.allowed.front() == &pool)
      out.roles.push_back({&role, 1, own});
  out.one_a_plan = out.roles.size() == 1;
  const auto found = tables_.find({&pool, moment});
  if (found == tables_.end()) return out;
  const Table& table = found->second;
  out.one_a_plan &= table.one_a_plan;
  const std::span<const std::uint32_t> plans = table.plan_of;
  const bool alone = table.all_alone && std::all_of(out.roles.begin(), out.roles.end(), [](const RoleCount& own_role) {
                       return gang_of(*own_role.role).exclusive;
                     });
  if (alone || out.roles.size() + plans.size() <= few) {
    for (std::size_t i = 0; i < plans.size(); ++i)
      out.roles.push_back({&table.groups[table.group_of[i]].role, 1, plans.subspan(i, 1)});
  } else {
    for (const Group& group : table.groups) out.roles.push_back({&group.role, group.count, group.plans});
  }
  return out;
}

}  // namespace muster::plan

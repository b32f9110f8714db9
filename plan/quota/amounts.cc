#include "plan/quota/amounts.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "compiler/model/added_pods.h"
#include "plan/demand.h"
#include "plan/pools/node_needs.h"
#include "scheduler/saturate.h"

namespace muster::plan {
namespace {

using model::Gang;
using model::Role;
using model::Workload;
using scheduler::product;
using scheduler::sum;

// Of all roles of the workload, where each has so many nodes as `nodes` says.
template <class Nodes>
Amounts amounts_of_roles(const Workload& workload, const RolePlan& placed, const model::Plane& plane, Nodes nodes) {
  Amounts out = amounts_added(workload, plane);
  for (const Role& role : workload.roles) {
    if (role.with) continue;
    RolePlan other = shape_of(role, workload);
    set_plane(other, plane);
    choose_pool(other, placed.pool);
    out += times(nodes(demand_of(workload, role, &plane)), amounts_of_node(other, plane));
  }
  return out;
}

const model::Pool* pool_named(const RolePlan& role, std::string_view name) {
  const auto found =
      std::find_if(role.allowed.begin(), role.allowed.end(), [&](const auto* pool) { return pool->name == name; });
  return found == role.allowed.end() ? role.pool : *found;
}

// Where each node has as many tasks as the fullest one, these are more than the job has.
void limit_to_tasks(const RolePlan& placed, Amounts& out) {
  if (placed.divided->gpus > 0) out.gpus = product(placed.divided->count, placed.divided->gpus);
  const std::int64_t core = placed.pool != nullptr ? placed.pool->threads : 1;
  const std::int64_t asked = product(placed.divided->count, placed.divided->cpus);
  const std::int64_t cpus =
      placed.counts_cores ? product(asked, core) : product(asked / core + (asked % core > 0), core);
  if (cpus >= out.cpus) return;
  if (placed.memory_a_cpu.bytes > 0) out.memory.bytes = out.memory.bytes / out.cpus * cpus;
  out.cpus = cpus;
}

}  // namespace

Amounts& Amounts::operator+=(const Amounts& more) {
  nodes = sum(nodes, more.nodes), gpus = sum(gpus, more.gpus), cpus = sum(cpus, more.cpus);
  memory.bytes = sum(memory.bytes, more.memory.bytes);
  pods = sum(pods, more.pods), added_pods = sum(added_pods, more.added_pods);
  return *this;
}

Amounts times(std::int64_t count, const Amounts& each) {
  return {product(count, each.nodes), product(count, each.gpus),
          product(count, each.cpus),  Size{product(count, each.memory.bytes)},
          product(count, each.pods),  product(count, each.added_pods)};
}

Amounts amounts_of_node(const RolePlan& role, const model::Plane& plane) {
  return amounts_of_node(role, plane, role.pool);
}

Amounts amounts_of_node(const RolePlan& role, const model::Plane& plane, const model::Pool* on) {
  const bool pods = plane.pods() != nullptr;
  Amounts out{1, role.gpus, 0, {}, pods ? 1 : 0};
  // On planes of pods a range counts with its lower end.
  for (const RolePlan& one : role.programs()) {
    const auto& cpus = one.role->resources.cpus;
    const auto& memory = one.role->resources.memory;
    out.cpus = sum(out.cpus, pods && cpus && cpus->value.is_range() ? cpus->value.low : one.counted_cpus(on));
    const bool range = pods && memory && memory->value.is_range();
    out.memory.bytes = sum(out.memory.bytes, range ? memory->value.low.bytes : one.counted_memory());
  }
  if (pods || on == nullptr || !has_whole_nodes(role)) return out;
  // A batch system counts all of a node that a job has alone.
  if (on->gpu) out.gpus = on->gpu->count;
  if (on->cpus > 0) out.cpus = on->usable_cpus(role.family);
  if (role.all_memory && on->memory > Size{}) out.memory = on->usable_memory(role.family);
  return out;
}

Amounts least_of_node(const RolePlan& role, const model::Plane& plane, const Pools& pools) {
  Amounts out = amounts_of_node(role, plane);
  for (const model::Pool* pool : pools) {
    const Amounts there = amounts_of_node(role, plane, pool);
    if (pool == pools.front()) out = there;
    out.gpus = std::min(out.gpus, there.gpus);
    out.cpus = std::min(out.cpus, there.cpus), out.memory = std::min(out.memory, there.memory);
  }
  return out;
}

Amounts amounts_added(const Workload& workload, const model::Plane& plane) {
  const model::AddedDemand added = model::added_demand(workload, plane);
  return {0, 0, (added.millicpus + 999) / 1000, added.memory, added.pods, added.pods};
}

Amounts amounts_at_once(const Workload& workload, const RolePlan& placed, const model::Plane& plane) {
  Amounts out = times(placed.total(), amounts_of_node(placed, plane));
  if (placed.divided && !has_whole_nodes(placed)) limit_to_tasks(placed, out);
  if (workload.groups() <= 1) out += amounts_added(workload, plane);
  return out;
}

Amounts amounts_of_job(const Workload& workload, const RolePlan& placed, const model::Plane& plane) {
  if (workload.groups() > 1)
    return amounts_of_roles(workload, placed, plane, [&](const RoleDemand& role) {
      return product(plane.admits_whole() ? role.at_once : role.together, role.nodes_at_once);
    });
  RolePlan job = placed;
  if (workload.starts() != Gang::all) job.copies = 1;
  return amounts_at_once(workload, job, plane);
}

AmountsByPool amounts_by_pool(const Workload& workload, const std::vector<RolePlan>& placed, const model::Plane& plane,
                              const std::vector<PlacedNode>& nodes) {
  AmountsByPool out;
  if (nodes.empty()) return out;
  std::unordered_map<std::string_view, const RolePlan*> roles;
  for (const RolePlan& role : placed) roles.emplace(role.role->name, &role);
  // Of a node, by role, pool and tasks.
  std::map<std::tuple<std::string_view, std::string_view, std::int64_t>, Amounts> known;
  for (const PlacedNode& node : nodes) {
    const auto [found, fresh] = known.try_emplace({node.role, node.pool, node.tasks}, Amounts{1});
    if (const auto role = roles.find(node.role); fresh && role != roles.end()) {
      const model::Pool* pool = pool_named(*role->second, node.pool);
      found->second = node.tasks > 0 && pool != nullptr
                          ? amounts_of_node(with_tasks(*role->second, node.tasks, *pool), plane, pool)
                          : amounts_of_node(*role->second, plane, pool);
    }
    Amounts one = found->second;
    one.gpus = node.part ? 0 : std::max(one.gpus, static_cast<std::int64_t>(node.gpus.size()));
    out[node.pool] += one;
  }
  out[nodes.front().pool] += amounts_added(workload, plane);
  return out;
}

Amounts amounts_of_job(const Workload& workload, const RolePlan& placed, const model::Plane& plane,
                       const std::vector<PlacedNode>& nodes) {
  const bool unlike = placed.spans_pools || placed.divided;
  if (!unlike || nodes.empty() || workload.groups() > 1 || workload.starts() != Gang::all)
    return amounts_of_job(workload, placed, plane);
  Amounts out;
  for (const auto& [pool, more] : amounts_by_pool(workload, {placed}, plane, nodes)) out += more;
  return out;
}

Amounts least_of_job(const RolePlan& placed, const model::Plane& plane, const Amounts& shown) {
  Amounts out = shown;
  if (plane.batch() == nullptr || placed.pool == nullptr) return out;
  if (placed.divided) {
    out.cpus = std::min(out.cpus, product(placed.divided->count, placed.divided->cpus));
  } else {
    const auto of_node = [&](const model::Pool* pool) { return amounts_of_node(placed, plane, pool).cpus; };
    const std::int64_t own = of_node(placed.pool);
    std::int64_t least = own;
    for (const model::Pool* pool : placed.choice()) least = std::min(least, of_node(pool));
    if (own < 1 || least >= own) return out;
    out.cpus = shown.cpus / own * least;
  }
  const bool by_cpu = placed.memory_a_cpu.bytes > 0 && shown.cpus > 0;
  if (by_cpu) out.memory.bytes = shown.memory.bytes / shown.cpus * out.cpus;
  return out;
}

Amounts sum_of(const AmountsByPool& amounts) {
  Amounts out;
  for (const auto& [pool, more] : amounts) out += more;
  return out;
}

}  // namespace muster::plan

#include "plan/amounts.h"

#include <string_view>
#include <unordered_map>

#include "compiler/model/added_pods.h"
#include "plan/demand.h"
#include "plan/shape.h"
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

}  // namespace

void sum_up(RolePlan& plan) {
  if (plan.sharing.empty()) return;
  plan.cpus.reset(), plan.memory.reset(), plan.disk.reset();
  plan.all_cpus = plan.all_memory = false;
  for (const RolePlan& one : plan.sharing) {
    if (one.cpus) plan.cpus = plan.cpus.value_or(0) + *one.cpus;
    if (one.memory) plan.memory = Size{plan.memory.value_or(Size{}).bytes + one.memory->bytes};
    if (one.disk) plan.disk = Size{plan.disk.value_or(Size{}).bytes + one.disk->bytes};
  }
}

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
  const bool pods = plane.pods() != nullptr;
  Amounts out{1, role.gpus, 0, {}, pods ? 1 : 0};
  // On planes of pods a range counts with its lower end.
  for (const RolePlan& one : role.programs()) {
    const auto& cpus = one.role->resources.cpus;
    const auto& memory = one.role->resources.memory;
    out.cpus = sum(out.cpus, pods && cpus && cpus->value.is_range() ? cpus->value.low : one.counted_cpus());
    const bool range = pods && memory && memory->value.is_range();
    out.memory.bytes = sum(out.memory.bytes, range ? memory->value.low.bytes : one.counted_memory());
  }
  return out;
}

Amounts amounts_added(const Workload& workload, const model::Plane& plane) {
  const model::AddedDemand added = model::added_demand(workload, plane);
  return {0, 0, (added.millicpus + 999) / 1000, added.memory, added.pods, added.pods};
}

Amounts amounts_at_once(const Workload& workload, const RolePlan& placed, const model::Plane& plane) {
  Amounts out = times(placed.total(), amounts_of_node(placed, plane));
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
  std::unordered_map<std::string_view, Amounts> of_role;
  for (const RolePlan& role : placed) of_role.emplace(role.role->name, amounts_of_node(role, plane));
  for (const PlacedNode& node : nodes) {
    const auto found = of_role.find(node.role);
    Amounts one = found == of_role.end() ? Amounts{1} : found->second;
    one.gpus = node.part ? 0 : static_cast<std::int64_t>(node.gpus.size());
    out[node.pool] += one;
  }
  out[nodes.front().pool] += amounts_added(workload, plane);
  return out;
}

}  // namespace muster::plan

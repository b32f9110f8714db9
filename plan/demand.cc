#include "plan/demand.h"

#include <algorithm>

#include "compiler/model/added_pods.h"
#include "plan/plan.h"
#include "plan/shape.h"
#include "scheduler/saturate.h"

namespace muster::plan {
namespace {

using model::Gang;
using model::Kind;
using model::Role;
using model::Workload;
using scheduler::product;
using scheduler::sum;

bool is_service(const Workload& workload) { return workload.kind.value == Kind::serve; }

// Whether each node of it starts by itself. All nodes of a service run at once, and people work on those of `dev`.
bool starts_node_by_node(const Workload& workload) {
  return workload.starts() == Gang::none && !workload.sweep && !is_service(workload) &&
         workload.kind.value != Kind::dev;
}

Unit unit_of(const Workload& workload) {
  if (workload.sweep) return Unit::point;
  return starts_node_by_node(workload) ? Unit::node : Unit::replica;
}

// Of all roles of the workload, where each has so many nodes as `nodes` says.
template <class Nodes>
Amounts amounts_of_roles(const Workload& workload, const RolePlan& placed, const model::Plane& plane, Nodes nodes) {
  Amounts out = amounts_added(workload, plane);
  for (const Role& role : workload.roles) {
    RolePlan other;
    other.role = &role;
    other.gpus = role.gpus();
    other.exclusive = role.resources.exclusive && role.resources.exclusive->value;
    choose_pool(other, placed.pool);
    out += times(nodes(demand_of(workload, role)), amounts_of_node(other, plane));
  }
  return out;
}

}  // namespace

std::string_view name(Unit unit) {
  constexpr std::string_view names[] = {"replica", "point", "node"};
  return names[static_cast<std::size_t>(unit)];
}

std::int64_t RoleDemand::nodes_together() const { return product(together, nodes); }
std::int64_t RoleDemand::gpus_together() const { return product(nodes_together(), gpus); }
std::int64_t RoleDemand::processes_together() const { return product(nodes_together(), processes); }
std::int64_t RoleDemand::gpus_at_most() const { return product(product(replicas.high, nodes), gpus); }

std::int64_t Demand::nodes_together() const {
  std::int64_t out = 0;
  for (const RoleDemand& role : roles) out = sum(out, role.nodes_together());
  return out;
}

std::int64_t Demand::gpus_together() const {
  std::int64_t out = 0;
  for (const RoleDemand& role : roles) out = sum(out, role.gpus_together());
  return out;
}

RoleDemand demand_of(const Workload& workload, const Role& role) {
  RoleDemand out;
  out.role = &role;
  const std::int64_t low = std::max<std::int64_t>(role.copies(), 1);
  out.replicas = {low, std::max(role.replicas ? role.replicas->value.high : 1, low)};
  out.nodes = out.nodes_at_once = role.nodes();
  out.gpus = role.gpus();
  out.processes = role.processes();
  if (workload.starts() == Gang::all) out.together = low;
  out.at_once = is_service(workload) ? low : out.together;
  if (starts_node_by_node(workload)) out.nodes_at_once = 1;
  return out;
}

Demand demand_of(const Workload& workload) {
  Demand out;
  out.unit = unit_of(workload);
  std::int64_t replicas = 0, at_once = 0, nodes = 0;
  for (const Role& role : workload.roles) {
    const RoleDemand& one = out.roles.emplace_back(demand_of(workload, role));
    replicas = sum(replicas, one.replicas.high);
    at_once = sum(at_once, one.at_once);
    nodes = sum(nodes, product(one.replicas.high, one.nodes));
  }
  out.needed = out.unit == Unit::replica ? at_once : 1;
  out.in_all = out.unit == Unit::replica ? replicas : nodes;
  const bool parts = workload.starts() != Gang::all && !is_service(workload);
  if (parts && workload.roles.size() == 1) out.tasks = replicas;
  if (workload.sweep) {
    const auto points = static_cast<std::int64_t>(workload.sweep->points());
    out.in_all = out.tasks = product(points, out.tasks);
    if (const auto& most = workload.sweep->max_parallel) out.max_parallel = std::max<std::int64_t>(most->value, 1);
  }
  return out;
}

bool starts_one_by_one(const Workload& workload) {
  return workload.sweep || (workload.starts() != Gang::all && !is_service(workload));
}

RolePlan at_once(const Workload& workload, const RolePlan& role) {
  const RoleDemand demand = demand_of(workload, *role.role);
  RolePlan out = role;
  out.copies = demand.at_once;
  out.nodes = demand.nodes_at_once;
  // Replicas that start each by itself are jobs, or pods, of their own: they may meet on a node.
  if (demand.at_once > demand.together) out.shares_nodes = true;
  return out;
}

std::vector<RolePlan> at_once(const Workload& workload, const std::vector<RolePlan>& roles) {
  std::vector<RolePlan> out;
  for (const RolePlan& role : roles) out.push_back(at_once(workload, role));
  return out;
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
  Amounts out{1, role.gpus, role.cpus.value_or(0), role.memory.value_or(Size{}), pods ? 1 : 0};
  const model::Resources& asked = role.role->resources;
  if (pods && asked.cpus && !asked.cpus->value.all) out.cpus = asked.cpus->value.low;
  if (pods && asked.memory && !asked.memory->value.all) out.memory = asked.memory->value.low;
  return out;
}

Amounts amounts_added(const Workload& workload, const model::Plane& plane) {
  const model::AddedDemand added = model::added_demand(workload, plane);
  return {0, 0, (added.millicpus + 999) / 1000, added.memory, added.pods, added.pods};
}

Amounts amounts_at_once(const Workload& workload, const RolePlan& placed, const model::Plane& plane) {
  if (workload.roles.size() <= 1)
    return amounts_added(workload, plane) += times(placed.total(), amounts_of_node(placed, plane));
  return amounts_of_roles(workload, placed, plane,
                          [](const RoleDemand& role) { return product(role.at_once, role.nodes_at_once); });
}

Amounts amounts_of_job(const Workload& workload, const RolePlan& placed, const model::Plane& plane) {
  if (workload.roles.size() > 1)
    return amounts_of_roles(workload, placed, plane,
                            [](const RoleDemand& role) { return product(role.together, role.nodes_at_once); });
  RolePlan job = placed;
  if (workload.starts() != Gang::all) job.copies = 1;
  return amounts_at_once(workload, job, plane);
}

}  // namespace muster::plan

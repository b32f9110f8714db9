#include "plan/demand.h"

#include <algorithm>

#include "compiler/model/coupling.h"
#include "scheduler/saturate.h"

namespace muster::plan {
namespace {

using model::Gang;
using model::Kind;
using model::Plane;
using model::Role;
using model::Workload;
using scheduler::product;
using scheduler::sum;

bool is_service(const Workload& workload) { return workload.kind.value == Kind::serve; }

// Whether each node of it starts by itself. All nodes of a service run at once, people work on those of `dev`, a batch
// system starts all nodes of a job together, and coupled nodes wait for each other whatever starts them.
bool starts_node_by_node(const Workload& workload, const Plane* plane) {
  return workload.starts() == Gang::none && !workload.sweep && !is_service(workload) &&
         workload.kind.value != Kind::dev && !(plane != nullptr && plane->traits().starts_gangs) &&
         model::coupled_nodes(workload) <= 1;
}

// Whether its roles are one object that is admitted with all replicas or not at all.
bool is_admitted_whole(const Workload& workload, const Plane* plane) {
  return plane != nullptr && plane->admits_whole() && workload.groups() > 1 && !workload.sweep;
}

Unit unit_of(const Workload& workload, const Plane* plane) {
  if (workload.sweep) return Unit::point;
  return starts_node_by_node(workload, plane) && !is_admitted_whole(workload, plane) ? Unit::node : Unit::replica;
}

}  // namespace

std::string_view name(Unit unit) {
  constexpr std::string_view names[] = {"replica", "point", "node"};
  return names[static_cast<std::size_t>(unit)];
}

std::int64_t RoleDemand::gpus_of_replica() const { return product(nodes, gpus); }
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

RoleDemand demand_of(const Workload& workload, const Role& role, const Plane* plane) {
  RoleDemand out;
  out.role = &role;
  const std::int64_t low = std::max<std::int64_t>(role.copies(), 1);
  out.replicas = {low, std::max(role.replicas ? role.replicas->value.high : 1, low)};
  out.nodes = out.nodes_at_once = role.nodes();
  for (const Role* one : role.with ? std::vector{&role} : workload.on_nodes_of(role)) out.gpus += one->gpus();
  out.processes = role.processes();
  if (workload.starts() == Gang::all) out.together = low;
  out.written = workload.starts() == Gang::all || is_service(workload) ? low : out.replicas.high;
  const bool whole = is_admitted_whole(workload, plane);
  out.at_once = is_service(workload) ? low : whole ? out.written : out.together;
  if (starts_node_by_node(workload, plane) && !whole) out.nodes_at_once = 1;
  return out;
}

Demand demand_of(const Workload& workload, const Plane* plane) {
  Demand out;
  out.unit = unit_of(workload, plane);
  std::int64_t replicas = 0, at_once = 0, nodes = 0;
  for (const Role& role : workload.roles) {
    if (role.with) continue;
    const RoleDemand& one = out.roles.emplace_back(demand_of(workload, role, plane));
    replicas = sum(replicas, one.replicas.high);
    at_once = sum(at_once, one.at_once);
    nodes = sum(nodes, product(one.replicas.high, one.nodes));
  }
  out.needed = out.unit == Unit::replica ? at_once : 1;
  out.in_all = out.unit == Unit::replica ? replicas : nodes;
  const bool parts = workload.starts() != Gang::all && !is_service(workload);
  if (parts && workload.groups() == 1) out.tasks = out.unit == Unit::node ? nodes : replicas;
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

}  // namespace muster::plan

// One count of what a workload runs. Fit, quota, review, cost, lint, the loss report and JSON read it: nothing else
// multiplies nodes, replicas, points and roles.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/model/plane.h"
#include "compiler/model/workload.h"

namespace muster::plan {

// What is counted where not everything must run at once: replicas, points of a sweep, nodes (or pods) that start each
// by itself.
enum class Unit : std::uint8_t { replica, point, node };
std::string_view name(Unit unit);  // replica, point, node

// One role, with those that run on its nodes. Products stop at the largest number instead of wrapping.
struct RoleDemand {
  const model::Role* role = nullptr;
  model::Count replicas;           // in all
  std::int64_t written = 1;        // of these, as many as a file of a fixed size has
  std::int64_t nodes = 1;          // of a replica: machines, or pods
  std::int64_t gpus = 0;           // of a node
  std::int64_t processes = 1;      // of its own on a node
  std::int64_t together = 1;       // replicas that start together or not at all
  std::int64_t at_once = 1;        // replicas that must run at once
  std::int64_t nodes_at_once = 1;  // of each of these

  std::int64_t gpus_of_replica() const;
  std::int64_t nodes_together() const;
  std::int64_t gpus_together() const;
  std::int64_t processes_together() const;
  std::int64_t gpus_at_most() const;  // of the upper end of `replicas`
};

struct Demand {
  std::vector<RoleDemand> roles;
  Unit unit = Unit::replica;
  std::int64_t needed = 1;  // units that must run at once
  std::int64_t in_all = 1;  // units that run in all: of a range, at most
  std::int64_t tasks = 1;   // of these, those that start independently, one after the other if need be; a service: 1
  std::optional<std::int64_t> max_parallel{};  // units that may run at once, as the workload says

  std::int64_t nodes_together() const;
  std::int64_t gpus_together() const;
};

// All of `gang = all`, `dev` with all its nodes, a service with the low end of `replicas`, at least one: these run at
// once. Of a sweep one point, of a batch or of `gang = replica` one replica, of `gang = none` one node. A file has the
// low end of a range of replicas that run at once, and all of those that start independently.
//
// The plane may ask for more: where the nodes of a job start together, `gang = none` is a replica; where an object is
// admitted with all its pods or not at all, several roles are one object, of which all replicas run at once. nullptr:
// as the workload alone says.
Demand demand_of(const model::Workload& workload, const model::Plane* plane = nullptr);
RoleDemand demand_of(const model::Workload& workload, const model::Role& role, const model::Plane* plane = nullptr);

// Whether its replicas, points or nodes may run one after the other.
bool starts_one_by_one(const model::Workload& workload);

}  // namespace muster::plan

#include "plan/steps/pin.h"

#include <algorithm>
#include <cstddef>

#include "compiler/base/text.h"
#include "plan/demand.h"

namespace muster::plan {
namespace {

// What makes the job another one than was placed.
std::optional<std::string> differs(const Plan& plan) {
  const model::Workload& w = *plan.workload;
  if (w.sweep) return "the placement is for one point of the sweep";
  if (w.scale) return "the number of its replicas follows the load";
  const bool by_node = demand_of(w, plan.plane).unit == Unit::node;
  const bool grows = plan.plane->traits().resizes;  // else it has the low end of a range
  for (const RolePlan& role : plan.roles) {
    const std::string who = plan.roles.size() > 1 ? "role `" + role.role->name + "`" : "it";
    const std::int64_t written = demand_of(w, *role.role, plan.plane).written;
    if (role.copies != written)
      return "the placement is for one replica, but " + who + " has " + counted(written, "replica") +
             " that start independently";
    if (by_node && role.nodes > 1)
      return "the placement is for one node, but " + who + " has " + counted(role.nodes, "node") +
             " that start independently";
    if (grows && (is_range(role.role->resources.nodes) || is_range(role.role->replicas)))
      return "its size may change while it runs";
  }
  return std::nullopt;
}

std::optional<std::string> unproven(const Plan& plan) {
  const Level& capacity = plan.fit.capacity;
  if (capacity.verdict == Verdict::fits && !plan.fit.placements.empty()) return std::nullopt;
  return "its placement is not proven" + (capacity.note.empty() ? "" : ": " + capacity.note);
}

}  // namespace

std::optional<std::string> pin(Plan& plan) {
  if (auto why = unproven(plan)) return why;
  if (auto why = differs(plan)) return why;
  for (const model::Pool& pool : plan.fleet->pools)
    for (const PlacedNode& node : plan.fit.placements)
      if (node.pool == pool.name && pool.node_names.empty())
        return "pool `" + pool.name + "` declares a number of nodes but no names";
  for (const PlacedNode& node : plan.fit.placements)
    if (node.part) return "it uses a part of a GPU, which a node name does not identify";
  for (RolePlan& role : plan.roles) {
    for (const PlacedNode& node : plan.fit.placements)
      if (node.role == role.role->name) role.pinned.push_back(node.node);
    std::sort(role.pinned.begin(), role.pinned.end());
    // Pods that share nodes are alike, so that these nodes have room for all of them in any order.
    role.pinned.erase(std::unique(role.pinned.begin(), role.pinned.end()), role.pinned.end());
  }
  return std::nullopt;
}

}  // namespace muster::plan

// Which pools of a plane can give a role what it needs.
#pragma once

#include <optional>

#include "compiler/base/diagnostic.h"
#include "compiler/model/fleet.h"
#include "compiler/model/nodes_as_read.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/plan.h"

namespace muster::plan {

// A role of a workload on a plane of a site, which the answer points into.
struct RoleQuestion {
  const model::Role& role;
  const model::Workload& workload;
  const model::Site& site;
  const model::Plane& plane;
  const model::Fleet* fleet;                // nullptr: the site has none, and nothing is filtered
  const model::Queue* queue;                // nullptr: the cluster's default, which reaches all pools
  const model::NodesAsRead* own = nullptr;  // what a file that is there says of its nodes; nullptr: it is a workload
  bool tightly_coupled = true;              // what the facts say of the workload
};

// The role with the pools of the plane and the queue that meet every need, those that it prefers first; the first one
// is chosen until place() knows better. nullopt: no pool does, or a condition cannot be used; reported.
std::optional<RolePlan> resolve_role(const RoleQuestion& ask, Diagnostics& diagnostics);

}  // namespace muster::plan

// Which pools can give a role what it needs, and through which queue: static needs only, no counting of nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/fleet.h"
#include "compiler/model/nodes_as_read.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/node_needs.h"
#include "plan/plan.h"

namespace muster::plan {

// The facts of a pool that conditions read; sizes in bytes, rates in bit/s. What the
// fleet does not declare is absent. A pool without GPUs has gpu.model, gpu.vendor and gpu.link `none`
// and gpu.memory and gpu.compute 0, so that conditions on them have an answer. node.name is not among them.
std::vector<std::pair<std::string_view, model::FactValue>> pool_facts(const model::Pool& pool);

// Whether a pool meets every static need of a role: GPU model, GPUs a node, GPU memory, `require`.
// CPUs, memory, disk and the number of nodes are questions of place(). `unknown`: the fleet does not
// declare what a need asks for, and no other need fails.
struct PoolCheck {
  model::Truth meets = model::Truth::yes;
  std::string why;  // unless yes: "pool a100 has 4 GPUs a node; 8 are needed"
  Span need;        // the need that is not met
};
PoolCheck check_pool(const model::Role& role, const model::Pool& pool);

// The summed weight of the role's `prefer`s that hold on the pool; one that is unknown counts 0.
std::int64_t prefer_weight(const model::Role& role, const model::Pool& pool);

// Whether the queue (nullptr: the cluster's default) has nodes of the pool.
bool reaches(const model::Queue* queue, const model::Pool& pool);

// The queues to try, in order: those that the workload names and `plane` (nullptr: any) has; without a
// name the default, else the only one, else nullptr, the cluster's default. Empty: it has none of the
// named ones, reported. Who may use capacity that is taken back gets a preemptible queue where there is
// one, the others never by default.
std::vector<const model::Queue*> choose_queues(const model::Workload& workload, const model::Site& site,
                                               const model::Plane* plane, Diagnostics& diagnostics);

// The role with the pools of the plane and the queue (nullptr: any) that meet every need, ordered by
// summed prefer weight and then by name; the first one is chosen until place() knows better. nullopt:
// no pool does, or a condition cannot be used; reported. Without a fleet nothing is filtered. `own`: what the file that
// is planned for says of its nodes itself; nullptr: nothing, as of a workload. `tightly_coupled`: what the facts say of
// the workload. The role points into `site`, `plane` and `fleet`.
std::optional<RolePlan> resolve_role(const model::Role& role, const model::Workload& workload, const model::Site& site,
                                     const model::Plane& plane, const model::Fleet* fleet, const model::Queue* queue,
                                     Diagnostics& diagnostics, const model::NodesAsRead* own = nullptr,
                                     bool tightly_coupled = true);

}  // namespace muster::plan

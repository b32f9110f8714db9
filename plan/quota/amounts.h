// What a workload asks of a pool, in nodes, GPUs, CPUs, memory and pods.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/model/plane.h"
#include "compiler/model/workload.h"
#include "plan/plan.h"

namespace muster::plan {

// What is asked of a pool. Amounts that no role states and no pool implies count nothing.
struct Amounts {
  std::int64_t nodes = 0;
  std::int64_t gpus = 0;
  std::int64_t cpus = 0;
  Size memory{};
  std::int64_t pods = 0;        // on planes of pods, with those that operators add
  std::int64_t added_pods = 0;  // these

  Amounts& operator+=(const Amounts& more);
  bool operator==(const Amounts&) const = default;
};

// `count` times as much.
Amounts times(std::int64_t count, const Amounts& each);

// Of one node of a role, as the plane counts it: what a pod requests is the lower end of a range, and a batch system
// counts whole cores, of a node that a job has alone all of them. `on`: of this pool, else of its own.
Amounts amounts_of_node(const RolePlan& role, const model::Plane& plane);
Amounts amounts_of_node(const RolePlan& role, const model::Plane& plane, const model::Pool* on);

// The least of these pools, of which it may have nodes.
Amounts least_of_node(const RolePlan& role, const model::Plane& plane, const Pools& pools);

// Of the pods that operators add to the workload's on the plane.
Amounts amounts_added(const model::Workload& workload, const model::Plane& plane);

// Of a role as it is placed, on its pool; of the workload's only one with what operators add.
Amounts amounts_at_once(const model::Workload& workload, const RolePlan& placed, const model::Plane& plane);

// Of what starts together: the batch system, or the queue of a plane of pods, sees it as one job.
Amounts amounts_of_job(const model::Workload& workload, const RolePlan& placed, const model::Plane& plane);

// The same where it is placed on these nodes, of pools that differ or with tasks that are divided over them.
Amounts amounts_of_job(const model::Workload& workload, const RolePlan& placed, const model::Plane& plane,
                       const std::vector<PlacedNode>& nodes);

// By pool, what these nodes of placed roles ask of it. What operators add is on the first one's.
using AmountsByPool = std::map<std::string, Amounts, std::less<>>;
AmountsByPool amounts_by_pool(const model::Workload& workload, const std::vector<RolePlan>& placed,
                              const model::Plane& plane, const std::vector<PlacedNode>& nodes);

// The least that a job of these amounts may count: a batch system chooses its nodes, and a core of one counts more CPUs
// than that of another. Of tasks that it divides it counts no fewer CPUs than they request.
Amounts least_of_job(const RolePlan& placed, const model::Plane& plane, const Amounts& shown);

// Of all pools.
Amounts sum_of(const AmountsByPool& amounts);

}  // namespace muster::plan

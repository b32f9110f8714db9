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
};

// `count` times as much.
Amounts times(std::int64_t count, const Amounts& each);

// Of one node of a role, as the plane counts it: what a pod requests is the lower end of a range.
Amounts amounts_of_node(const RolePlan& role, const model::Plane& plane);

// Of the pods that operators add to the workload's on the plane.
Amounts amounts_added(const model::Workload& workload, const model::Plane& plane);

// Of a role as it is placed, on its pool; of the workload's only one with what operators add.
Amounts amounts_at_once(const model::Workload& workload, const RolePlan& placed, const model::Plane& plane);

// Of what starts together: the batch system, or the queue of a plane of pods, sees it as one job.
Amounts amounts_of_job(const model::Workload& workload, const RolePlan& placed, const model::Plane& plane);

// By pool, what these nodes of placed roles ask of it. What operators add is on the first one's.
using AmountsByPool = std::map<std::string, Amounts, std::less<>>;
AmountsByPool amounts_by_pool(const model::Workload& workload, const std::vector<RolePlan>& placed,
                              const model::Plane& plane, const std::vector<PlacedNode>& nodes);

}  // namespace muster::plan

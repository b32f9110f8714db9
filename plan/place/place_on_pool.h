// One role on one pool: whether it fits there as it is asked for, and on which nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/fleet/fleet_state.h"
#include "plan/plan.h"
#include "scheduler/gang.h"

namespace muster::plan {

// That it fits: which nodes, and of pods that share them which devices.
struct Witness {
  scheduler::Placement counts;
  std::vector<PlacedNode> pods{};  // of roles that are packed
};

struct PoolAnswer {
  Level level;
  std::optional<Witness> witness{};  // where it fits
  bool shared_gpus = false;          // some node has a part of its GPUs in use
};

// Its whole gang on its pool.
PoolAnswer ask_pool(FleetState& fleet, const RolePlan& role, Moment moment);
Verdict verdict_on_pool(FleetState& fleet, const RolePlan& role, Moment moment);

// The witness as what a person sees: the nodes, and the leaf switches and spines that they use.
void show(const RolePlan& role, const Witness& witness, Fit& fit);

}  // namespace muster::plan

// A pool as the scheduler sees it, empty or as it is now, and why a gang does not fit it, in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/model/fleet.h"
#include "plan/plan.h"
#include "scheduler/devices.h"
#include "scheduler/gang.h"
#include "scheduler/inventory.h"

namespace muster::plan {

// A GPU of which workloads of the file have parts.
struct CutGpu {
  std::int64_t number = 0;
  scheduler::Device taken;
};

struct PoolState {
  scheduler::Inventory stock;       // its nodes as the pool numbers them
  std::vector<std::string> leaves;  // names by number; "" for a leaf that is not declared
  std::int64_t drained = 0;
  std::int64_t spare = 0;                                 // that are not drained
  std::int64_t excluded = 0;                              // by `require node.name`, neither drained nor spare
  std::int64_t reserved = 0;                              // held by others now, none of the above
  std::int64_t outside = 0;                               // not of the queue, neither of the above
  std::map<std::uint32_t, std::vector<CutGpu>> cut;       // by node; they are none of its free ones
  std::size_t uses = 0;                                   // of the pool's `in_use` that are taken off
  model::PlaneFamily family = model::PlaneFamily::batch;  // of the plane that has the nodes
};

// A pool without leaves is one leaf. A node that is in no declared leaf is a leaf of its own: the
// file does not say that it is near any other.
// `domain` is what counts as a leaf: leaf switches, blocks or NVLink domains.
PoolState state_of(const model::Pool& pool, const RolePlan& role, Moment moment,
                   model::Within domain = model::Within::leaf);

// Takes off what was added to the pool's `in_use` since.
void follow(const model::Pool& pool, Moment moment, PoolState& state);

// Whether some node has a part of its GPUs in use.
bool shares_gpus(const PoolState& state);

// What is out at every moment: "1 drained, 2 spare, 3 excluded by name".
std::string left_out(const RolePlan& role, const PoolState& state);

// Why the gang does not fit, from the scheduler's counts. Needs of sizes are in bytes.
Certificate certificate_of(const scheduler::Shortage& shortage, const scheduler::Gang& gang, const RolePlan& role,
                           const PoolState& state, Moment moment);

}  // namespace muster::plan

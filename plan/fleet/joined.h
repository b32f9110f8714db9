// Several pools as one: the nodes that a file leaves to the scheduler, one pool's after the other's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/fleet/pool_state.h"
#include "plan/plan.h"

namespace muster::plan {

struct JoinedPool {
  Pools parts;
  // "a and b". Its nodes may be of several sizes: it declares the largest, which certificates speak of. What some part
  // does not declare it does not declare either.
  model::Pool pool;
  bool unlike_cores = false;  // of some parts a core has more threads than of others: then the pool's is 1

  // The part that has a node, and the node's number there.
  std::pair<const model::Pool*, std::uint32_t> origin(std::uint32_t node) const;
};

// Whether the role can be searched for on their nodes as those of one: parts of GPUs are of one table of places, and
// memory that it has for each CPU is the same of each.
bool can_join(const RolePlan& role, const Pools& pools);

// Whether a pool is in both.
bool meet(const Pools& some, const Pools& others);

// A list for each of them.
std::vector<Pools> each_alone(const Pools& pools);

JoinedPool join(const Pools& parts, model::PlaneFamily family);

// The states of the parts, in their order, as that of the joined pool. Nodes of a part that is not among those that the
// role may use there, or has too small a disk for it, are unusable. Where cores are unlike, a node has as many CPUs as
// its free cores have threads, and as many as it has free cores for a role that counts these.
PoolState join(const JoinedPool& joined, const RolePlan& role, std::span<const PoolState* const> states);

// Those of `pools` that the nodes of the role are of, in the order of the nodes; "": of any role.
Pools pools_of(std::span<const PlacedNode> nodes, std::string_view role, const Pools& pools);

// "pool a and b has" of one pool's text, as several have it.
void name_several(const std::string& names, std::string& text);

}  // namespace muster::plan

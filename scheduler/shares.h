// What each leaf gives of a gang: the steps of place_gang() that need no node, only counts.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "scheduler/gang.h"

namespace muster::scheduler {

enum class NodeState : std::uint8_t { fit, unusable, busy, partial, too_small };

// What the node is to a pod of the gang.
NodeState state_for(const Node& node, const Gang& gang);

// How many nodes take a pod, by leaf, and what the others are. O(leaves).
struct Census {
  Shortage counts;  // kind, need and have are not set yet
  std::vector<std::int64_t> by_leaf;

  void count(const Node& node, NodeState state, std::int64_t nodes);
};

// How many nodes each leaf gives.
struct Shares {
  std::vector<std::int64_t> by_leaf;
  std::int64_t spine_bound = 0;
};

// The fewest leaves, below the fewest spines (`spine_of_leaf` may be empty), the last as tight as can be; or why there
// are too few.
std::variant<Shares, Shortage> share_out(const Census& census, const Gang& gang,
                                         std::span<const std::uint32_t> spine_of_leaf);

// A placement on such shares whose nodes are still to be picked.
Placement counted(const Shares& shares, std::span<const std::uint32_t> spine_of_leaf);

// Of the nodes of one leaf that take a pod, ascending, the `wanted` with the fewest free GPUs, then the lowest
// numbers, appended in ascending order.
void pick(std::span<const Node> nodes, std::span<const std::uint32_t> leaf, std::int64_t wanted,
          std::vector<std::uint32_t>& out);

}  // namespace muster::scheduler

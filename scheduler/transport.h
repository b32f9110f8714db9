// Gangs of which every pod has a node for itself, on nodes of several kinds: a transport problem.
//
// Theorem used (T7, Hall): there is room iff no set of gangs needs more nodes than there are of the kinds that any of
// them can use. Max-flow finds the placement, or such a set, for any number of gangs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace muster::scheduler {

struct Transport {
  std::vector<std::vector<std::int64_t>> given;  // by gang and kind: how many of its nodes are of that kind
  std::vector<std::uint32_t> too_many;           // a set that needs more than there is, ascending; empty: there is room
};

// `need` by gang; `have` by kind of node; `takes[kind][gang]`: whether the kind is open to it. Numbers are 0 or more,
// and their sums are within 64 bits. At most O((gangs + kinds) · gangs · kinds) searches for a path of that many steps.
Transport share_nodes(std::span<const std::int64_t> need, std::span<const std::int64_t> have,
                      std::span<const std::vector<bool>> takes);

}  // namespace muster::scheduler

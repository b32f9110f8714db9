// Copies of a gang that each lie in one outer domain (a block, a pool's row) and are cut in segments that each lie in
// one inner domain (an NVLink domain, a leaf).
//
// Theorem used (T6, twice): an outer domain holds floor(free / segment) segments of each inner one, and floor(segments
// / segments of a copy) copies. Counts add up, so that T1 holds for them.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "scheduler/gang.h"

namespace muster::scheduler {

// Fewer copies than asked for.
struct CopyShortage {
  std::int64_t need = 0, have = 0;  // copies
  std::int64_t best = 0;            // segments of the outer domain with most
};

// `gang` is of all copies, each of `copy` nodes; gang.segment divides `copy`, which divides gang.nodes, and
// gang.one_leaf does not count. The inner domain of a node is its leaf, the outer one `outer[node]`. The nodes stand
// copy by copy, on the fewest outer domains and in each on the fewest inner ones; `leaves` are inner domains, and
// `lower_bound` says only what counts alone show. O(outer domains used · nodes).
std::variant<Placement, CopyShortage> place_nested(std::span<const Node> nodes, std::span<const std::uint32_t> outer,
                                                   const Gang& gang, std::int64_t copy);

}  // namespace muster::scheduler

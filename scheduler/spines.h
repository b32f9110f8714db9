// Below which spines the leaves of a gang lie.
//
// Theorem used (T5): of the placements on k leaves, the fewest there are, one lies below a set of spines iff the k
// largest leaves below them hold the gang. So one spine is asked after the other, then pairs of them, and so on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace muster::scheduler {

struct SpineChoice {
  std::vector<std::int64_t> capacity;  // by leaf; 0 for those below other spines
  std::int64_t lower_bound = 0;        // no placement on so few leaves lies below fewer spines
};

// The fewest spines below which `leaves` leaves hold `need`; of equal sets the one with least room; where there are
// too many sets to ask, all spines. `capacity` and
// `spine_of_leaf` are by leaf, and the `leaves` largest hold `need`. Bounded: about 20 million steps.
SpineChoice choose_spines(const std::vector<std::int64_t>& capacity, std::span<const std::uint32_t> spine_of_leaf,
                          std::int64_t need, std::int64_t leaves);

}  // namespace muster::scheduler

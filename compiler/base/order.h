// Things that wait for each other, in an order in which they can come.
#pragma once

#include <cstddef>
#include <vector>

namespace muster {

// `waits_for[i]` are the numbers of the things that i waits for. Each is after those it waits for, else as
// they came. What waits for itself by way of others, or for such a thing, is left out. Linear.
std::vector<std::size_t> order_of(const std::vector<std::vector<std::size_t>>& waits_for);

}  // namespace muster

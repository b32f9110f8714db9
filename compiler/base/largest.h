// A search by halves.
#pragma once

#include <cstdint>

namespace muster {

// The largest count from `low`, which is taken to hold, to `high` that holds, where what holds does so with one less.
template <class Holds>
std::int64_t largest(std::int64_t low, std::int64_t high, Holds holds) {
  if (low < high && holds(high)) return high;
  while (low + 1 < high) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace muster

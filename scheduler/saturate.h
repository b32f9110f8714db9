// Arithmetic that stops at the largest number instead of wrapping: what stops there proves nothing.
#pragma once

#include <cstdint>
#include <limits>

namespace muster::scheduler {

inline std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

inline std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

}  // namespace muster::scheduler

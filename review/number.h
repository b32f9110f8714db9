// Whole numbers that may not be known.
#pragma once

#include <cstdint>
#include <optional>

namespace muster::review {

using Number = std::optional<std::int64_t>;

// nullopt where either is not known or the sum is too large for 64 bits.
inline Number sum(Number a, Number b) {
  std::int64_t out = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &out)) return std::nullopt;
  return out;
}

}  // namespace muster::review

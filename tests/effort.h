// How many of its cases a long test takes in this build.
#pragma once
#include <cstddef>

namespace muster::tests {

/// Every so many cases are taken: all, but one in seven (no period of the tables that make them) under the sanitizers,
/// where a case takes ten times as long and what is looked for lies on the way of every case.
#ifdef __SANITIZE_ADDRESS__
inline constexpr std::size_t case_step = 7;
#else
inline constexpr std::size_t case_step = 1;
#endif

}  // namespace muster::tests

// Seeded choices, the same on every standard library.
#pragma once

#include <cstdint>
#include <random>

namespace muster::property {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  // 0…most, uniform enough for tests.
  std::int64_t upto(std::int64_t most) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint32_t>(most + 1));
  }
  bool one_in(std::int64_t n) { return upto(n - 1) == 0; }
  template <class List>
  const auto& any_of(const List& list) {
    return list[static_cast<std::size_t>(upto(static_cast<std::int64_t>(std::size(list)) - 1))];
  }

 private:
  std::mt19937 engine_;
};

}  // namespace muster::property

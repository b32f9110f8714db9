// Which workloads wait for the end of which, so that they never hold nodes at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace muster::plan {

// Of plans by their places in a list, over all steps: a bit for each that one waits for, so that a chain of thousands
// costs little.
class Waits {
 public:
  explicit Waits(const std::vector<Plan*>& plans);

  bool any() const { return any_; }
  // Whether both may run at the same time.
  bool meet(std::size_t a, std::size_t b) const { return !waits_for(a, b) && !waits_for(b, a); }

 private:
  using Row = std::vector<std::uint64_t>;  // empty: it waits for none

  bool waits_for(std::size_t plan, std::size_t other) const;
  void collect(std::uint32_t first, const std::vector<std::vector<std::uint32_t>>& direct);

  std::vector<Row> before_;
  std::vector<bool> done_;  // rows that are complete
  bool any_ = false;
};

}  // namespace muster::plan

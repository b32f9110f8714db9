// How many nodes each leaf has to give, kept in the order in which a gang takes leaves.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace muster::scheduler {

// What one leaf gives of a gang.
struct LeafShare {
  std::uint32_t leaf = 0;
  std::int64_t nodes = 0;
};

class LeafCounts {
 public:
  // Nodes by leaf.
  explicit LeafCounts(std::vector<std::int64_t> by_leaf);

  // O(1). The order follows with the next question.
  void add(std::uint32_t leaf, std::int64_t more);

  std::int64_t total() const { return total_; }
  const std::vector<std::int64_t>& by_leaf() const { return by_leaf_; }
  // Of the leaf with most; 0: there is none.
  std::int64_t largest();

  // The fewest leaves that hold `need`, which is not above total(), ascending: the largest, of equal ones those with
  // the lowest numbers, and for the rest the tightest (T1, gang.h). O((leaves used + leaves changed) · log leaves).
  std::vector<LeafShare> fewest(std::int64_t need);

 private:
  using Order = std::set<std::pair<std::int64_t, std::uint32_t>>;  // count, negative, and leaf: the largest come first

  void settle();
  Order::const_iterator tightest(std::int64_t need) const;

  std::vector<std::int64_t> by_leaf_;
  std::vector<std::int64_t> ordered_;   // the counts that `order_` has
  std::vector<std::uint32_t> changed_;  // leaves whose counts differ from these, or differed
  std::vector<bool> is_changed_;
  Order order_;
  std::int64_t total_ = 0;
};

}  // namespace muster::scheduler

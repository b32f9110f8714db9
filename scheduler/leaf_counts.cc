#include "scheduler/leaf_counts.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace muster::scheduler {

LeafCounts::LeafCounts(std::vector<std::int64_t> by_leaf)
    : by_leaf_(std::move(by_leaf)), ordered_(by_leaf_), is_changed_(by_leaf_.size(), false) {
  for (std::uint32_t leaf = 0; leaf < by_leaf_.size(); ++leaf) order_.emplace_hint(order_.end(), -by_leaf_[leaf], leaf);
  total_ = std::accumulate(by_leaf_.begin(), by_leaf_.end(), std::int64_t{0});
}

void LeafCounts::add(std::uint32_t leaf, std::int64_t more) {
  by_leaf_[leaf] += more;
  total_ += more;
  if (is_changed_[leaf]) return;
  is_changed_[leaf] = true;
  changed_.push_back(leaf);
}

// A gang changes a leaf node by node: the order follows once.
void LeafCounts::settle() {
  for (const std::uint32_t leaf : changed_) {
    is_changed_[leaf] = false;
    if (by_leaf_[leaf] == ordered_[leaf]) continue;
    Order::node_type entry = order_.extract({-ordered_[leaf], leaf});
    entry.value().first = -by_leaf_[leaf];
    order_.insert(std::move(entry));
    ordered_[leaf] = by_leaf_[leaf];
  }
  changed_.clear();
}

std::int64_t LeafCounts::largest() {
  settle();
  return order_.empty() ? 0 : -order_.begin()->first;
}

// The leaf that holds `need` and has least to give, of equal ones the first.
LeafCounts::Order::const_iterator LeafCounts::tightest(std::int64_t need) const {
  const auto after = order_.upper_bound({-need, std::numeric_limits<std::uint32_t>::max()});
  return after == order_.begin() ? order_.end() : order_.lower_bound({std::prev(after)->first, 0});
}

std::vector<LeafShare> LeafCounts::fewest(std::int64_t need) {
  settle();
  if (const auto one = tightest(need); one != order_.end()) return {{one->second, need}};
  std::vector<LeafShare> out;
  auto next = order_.begin();
  for (; - next->first < need; ++next) {
    out.push_back({next->second, -next->first});
    need += next->first;
  }
  // Of the leaves as large as this one those before it are taken; smaller ones are not.
  const auto last = tightest(need);
  out.push_back({last->first == next->first ? next->second : last->second, need});
  std::sort(out.begin(), out.end(), [](const LeafShare& a, const LeafShare& b) { return a.leaf < b.leaf; });
  return out;
}

}  // namespace muster::scheduler

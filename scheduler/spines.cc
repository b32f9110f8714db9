#include "scheduler/spines.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>

namespace muster::scheduler {
namespace {

using Set = std::vector<std::uint32_t>;  // of spines, ascending

class SpineSearch {
 public:
  SpineSearch(const std::vector<std::int64_t>& capacity, std::span<const std::uint32_t> spine_of_leaf,
              std::int64_t need, std::int64_t leaves)
      : capacity_(capacity), spine_of_leaf_(spine_of_leaf), need_(need), leaves_(leaves) {
    for (std::uint32_t leaf = 0; leaf < capacity.size(); ++leaf)
      if (capacity[leaf] > 0) order_.push_back(leaf);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return capacity[a] > capacity[b]; });
    for (const std::uint32_t leaf : order_) {
      room_.resize(std::max<std::size_t>(room_.size(), std::size_t{spine_of_leaf[leaf]} + 1), 0);
      room_[spine_of_leaf[leaf]] += capacity[leaf];
    }
  }

  SpineChoice run() {
    const auto spines =
        static_cast<std::int64_t>(std::count_if(room_.begin(), room_.end(), [](auto r) { return r > 0; }));
    for (std::int64_t size = 1; size < spines; ++size) {
      if (!may_hold(size)) continue;
      best_.reset();
      const bool all = each_set(static_cast<std::size_t>(size));
      if (best_) return below(*best_, size);
      if (!all) return {capacity_, size};
    }
    return {capacity_, spines};
  }

 private:
  // No set of that size holds it where those with most room do not.
  bool may_hold(std::int64_t size) const {
    std::vector<std::int64_t> largest = room_;
    std::sort(largest.rbegin(), largest.rend());
    return std::accumulate(largest.begin(), largest.begin() + size, std::int64_t{0}) >= need_;
  }

  // Asks all sets of `size` spines in order. False: there are too many.
  bool each_set(std::size_t size) {
    Set set(size);
    std::iota(set.begin(), set.end(), 0U);
    for (;;) {
      if (steps_ > most_steps) return false;
      ask(set);
      std::size_t at = size;
      while (at > 0 && set[at - 1] == room_.size() - size + at - 1) --at;
      if (at == 0) return true;
      ++set[at - 1];
      std::iota(set.begin() + static_cast<std::ptrdiff_t>(at), set.end(), set[at - 1] + 1);
    }
  }

  void ask(const Set& set) {
    std::int64_t room = 0;
    for (const std::uint32_t spine : set) room += room_[spine];
    ++steps_;
    if (room < need_ || (best_ && room >= best_room_)) return;
    steps_ += order_.size();
    std::int64_t left = need_, used = 0;
    for (const std::uint32_t leaf : order_) {
      if (!std::binary_search(set.begin(), set.end(), spine_of_leaf_[leaf])) continue;
      left -= capacity_[leaf];
      if (++used == leaves_ || left <= 0) break;
    }
    if (left > 0) return;
    best_ = set;
    best_room_ = room;
  }

  SpineChoice below(const Set& set, std::int64_t size) const {
    SpineChoice out{capacity_, size};
    for (std::size_t leaf = 0; leaf < capacity_.size(); ++leaf)
      if (!std::binary_search(set.begin(), set.end(), spine_of_leaf_[leaf])) out.capacity[leaf] = 0;
    return out;
  }

  static constexpr std::size_t most_steps = 20'000'000;
  const std::vector<std::int64_t>& capacity_;
  std::span<const std::uint32_t> spine_of_leaf_;
  std::int64_t need_, leaves_;
  std::vector<std::uint32_t> order_;  // leaves with room, the largest first
  std::vector<std::int64_t> room_;    // by spine
  std::optional<Set> best_;
  std::int64_t best_room_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace

SpineChoice choose_spines(const std::vector<std::int64_t>& capacity, std::span<const std::uint32_t> spine_of_leaf,
                          std::int64_t need, std::int64_t leaves) {
  return SpineSearch(capacity, spine_of_leaf, need, leaves).run();
}

}  // namespace muster::scheduler

// The leaves of a fleet by how many nodes each has to give: the tightest that is enough, the fullest.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster::scheduler {

// A set of leaves a count. Leaves are numbered by falling size, so the set of count f holds only the first
// few, those with f nodes at all: N nodes take N log N bits whatever their leaves are.
class LeafIndex {
 public:
  // Sizes fall; every leaf starts with all its nodes.
  explicit LeafIndex(std::span<const std::uint32_t> sizes);

  void move(std::uint32_t leaf, std::uint32_t from, std::uint32_t to) {
    if (from == to) return;
    if (from > 0) erase(leaf, from);
    if (to > 0) insert(leaf, to);
  }

  // The smallest count of at least `wanted` (not 0) that some leaf has; 0: none.
  std::uint32_t at_least(std::uint32_t wanted) const {
    if (wanted >= buckets_.size()) return 0;
    std::size_t word = wanted / 64;
    for (std::uint64_t bits = counts_[word] & (~std::uint64_t{0} << wanted % 64);; bits = counts_[word]) {
      if (bits != 0) return static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
      if (++word == counts_.size()) return 0;
    }
  }

  // The largest count that some leaf has; 0: all are empty.
  std::uint32_t fullest() const {
    for (std::size_t word = counts_.size(); word-- > 0;)
      if (counts_[word] != 0)
        return static_cast<std::uint32_t>(word * 64) + 63 - static_cast<std::uint32_t>(std::countl_zero(counts_[word]));
    return 0;
  }

  // The lowest-numbered leaf of that count, which some leaf has.
  std::uint32_t first(std::uint32_t count) const {
    const Bucket& bucket = buckets_[count];
    std::uint32_t block = 0;
    while (bits_[bucket.summary + block] == 0) ++block;
    const auto word = block * 64 + static_cast<std::uint32_t>(std::countr_zero(bits_[bucket.summary + block]));
    return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits_[bucket.words + word]));
  }

  // Leaves that have exactly so many.
  std::uint32_t leaves(std::uint32_t count) const { return buckets_[count].leaves; }
  std::uint32_t largest_leaf() const { return static_cast<std::uint32_t>(buckets_.size()) - 1; }

  bool operator==(const LeafIndex&) const = default;

 private:
  struct Bucket {
    std::size_t words = 0;    // where its leaves are in `bits_`, 64 a word
    std::size_t summary = 0;  // and which of these words are not 0
    std::uint32_t leaves = 0;
    bool operator==(const Bucket&) const = default;
  };

  void insert(std::uint32_t leaf, std::uint32_t count) {
    Bucket& bucket = buckets_[count];
    bits_[bucket.words + leaf / 64] |= std::uint64_t{1} << leaf % 64;
    bits_[bucket.summary + leaf / 4096] |= std::uint64_t{1} << leaf / 64 % 64;
    counts_[count / 64] |= std::uint64_t{1} << count % 64;
    ++bucket.leaves;
  }

  void erase(std::uint32_t leaf, std::uint32_t count) {
    Bucket& bucket = buckets_[count];
    std::uint64_t& word = bits_[bucket.words + leaf / 64];
    word &= ~(std::uint64_t{1} << leaf % 64);
    if (word == 0) bits_[bucket.summary + leaf / 4096] &= ~(std::uint64_t{1} << leaf / 64 % 64);
    if (--bucket.leaves == 0) counts_[count / 64] &= ~(std::uint64_t{1} << count % 64);
  }

  std::vector<Bucket> buckets_;        // by count
  std::vector<std::uint64_t> bits_;    // of all buckets
  std::vector<std::uint64_t> counts_;  // which buckets hold a leaf
};

}  // namespace muster::scheduler

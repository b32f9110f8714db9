#include "scheduler/leaf_index.h"

namespace muster::scheduler {

LeafIndex::LeafIndex(std::span<const std::uint32_t> sizes) {
  const std::uint32_t largest = sizes.empty() ? 0 : sizes.front();
  buckets_.resize(std::size_t{largest} + 1);
  counts_.assign(largest / 64 + 1, 0);
  std::size_t end = 0, able = sizes.size();  // leaves of that many nodes at all
  for (std::uint32_t count = 1; count <= largest; ++count) {
    while (sizes[able - 1] < count) --able;
    const std::size_t words = (able + 63) / 64, blocks = (words + 63) / 64;
    buckets_[count].summary = end;
    buckets_[count].words = end + blocks;
    end += blocks + words;
  }
  bits_.assign(end, 0);
  for (std::uint32_t leaf = 0; leaf < sizes.size(); ++leaf)
    if (sizes[leaf] > 0) insert(leaf, sizes[leaf]);
}

}  // namespace muster::scheduler

#include "scheduler/fleet.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace muster::scheduler {
namespace {

// The lowest `n` of the bits set, of which there are more.
std::uint64_t lowest(std::uint64_t bits, std::uint32_t n) {
  std::uint64_t rest = bits;
  for (; n > 0; --n) rest &= rest - 1;
  return bits & ~rest;
}

// Leaves by falling size, then by number.
std::vector<std::uint32_t> by_size(const std::vector<std::uint32_t>& sizes) {
  std::vector<std::uint32_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return sizes[a] > sizes[b]; });
  return order;
}

}  // namespace

Fleet::Fleet(std::span<const std::uint32_t> leaf_of_node, std::uint32_t units)
    : units_(std::clamp(units, 1U, most_units)) {
  for (const std::uint32_t leaf : leaf_of_node) leaves_ = std::max(leaves_, leaf + 1);
  std::vector<std::uint32_t> sizes(leaves_, 0), rank(leaves_), sorted;
  for (const std::uint32_t leaf : leaf_of_node) ++sizes[leaf];
  first_word_.push_back(0);
  for (const std::uint32_t leaf : by_size(sizes)) {
    rank[leaf] = static_cast<std::uint32_t>(sorted.size());
    leaf_of_word_.insert(leaf_of_word_.end(), (sizes[leaf] + 63) / 64, rank[leaf]);
    first_word_.push_back(static_cast<std::uint32_t>(leaf_of_word_.size()));
    sorted.push_back(sizes[leaf]);
  }
  words_ = static_cast<std::uint32_t>(leaf_of_word_.size());
  node_of_place_.assign(std::size_t{words_} * 64, 0);
  place_of_node_.resize(leaf_of_node.size());
  std::vector<std::uint64_t> all(words_, 0);
  std::vector<std::uint32_t> used(leaves_, 0);
  for (std::uint32_t node = 0; node < leaf_of_node.size(); ++node) {
    const std::uint32_t leaf = rank[leaf_of_node[node]], place = first_word_[leaf] * 64 + used[leaf]++;
    node_of_place_[place] = node;
    place_of_node_[node] = place;
    all[place / 64] |= std::uint64_t{1} << place % 64;
  }
  for (std::uint32_t level = 0; level < units_; ++level) {
    free_.insert(free_.end(), all.begin(), all.end());
    count_.insert(count_.end(), sorted.begin(), sorted.end());
    total_.push_back(leaf_of_node.size());
    index_.emplace_back(sorted);
  }
}

std::uint64_t Fleet::segments_with(std::uint32_t units, std::uint32_t segment) const {
  const LeafIndex& index = index_[units - 1];
  std::uint64_t sum = 0;
  for (std::uint32_t n = segment; n <= index.largest_leaf(); ++n) sum += std::uint64_t{index.leaves(n)} * (n / segment);
  return sum;
}

bool Fleet::fits(const Ask& ask) const {
  if (ask.units == 0 || ask.units > units_ || ask.segment == 0 || ask.nodes % ask.segment != 0) return false;
  if (nodes_with(ask.units) < ask.nodes) return false;
  if (ask.one_leaf) return fullest_leaf(ask.units) >= ask.nodes;
  return ask.segment == 1 || segments_with(ask.units, ask.segment) >= ask.nodes / ask.segment;
}

bool Fleet::place(const Ask& ask, Lease& lease) {
  lease.pieces.clear();
  lease.units = ask.units;
  lease.leaves = 0;
  if (!fits(ask)) return false;
  LeafIndex& index = index_[ask.units - 1];
  // Where a node has room for two pods, a leaf that was emptied for this gang must not be found again.
  const bool hides = 2 * ask.units <= units_;
  for (std::uint32_t need = ask.nodes; need > 0; ++lease.leaves) {
    const std::uint32_t enough = index.at_least(need), most = enough > 0 ? enough : index.fullest();
    const std::uint32_t taken = enough > 0 ? need : most - most % ask.segment, leaf = index.first(most);
    need -= taken;
    if (!hides) {
      take_from(leaf, taken, lease);
      continue;
    }
    index.move(leaf, most, 0);
    hidden_.push_back({leaf, taken});
  }
  for (const auto& [leaf, taken] : hidden_) {
    index.move(leaf, 0, count_[std::size_t{ask.units - 1} * leaves_ + leaf]);
    take_from(leaf, taken, lease);
  }
  hidden_.clear();
  return true;
}

// The places of a word with that many free units, 0 included, and no more.
std::uint64_t Fleet::exactly(std::uint32_t units, std::uint32_t word) const {
  const std::uint64_t more = units < units_ ? free_[std::size_t{units} * words_ + word] : 0;
  return (units > 0 ? free_[std::size_t{units - 1} * words_ + word] : ~std::uint64_t{0}) & ~more;
}

void Fleet::count(std::uint32_t leaf, std::uint32_t level, std::int64_t more) {
  std::uint32_t& have = count_[std::size_t{level} * leaves_ + leaf];
  const auto now = static_cast<std::uint32_t>(have + more);
  index_[level].move(leaf, have, now);
  have = now;
  total_[level] += static_cast<std::uint64_t>(more);
}

// Marks the places as having more than `low` … more than `high` - 1 free units.
void Fleet::free_up(const Lease::Piece& piece, std::uint32_t low, std::uint32_t high) {
  for (std::uint32_t level = low; level < high; ++level) {
    free_[std::size_t{level} * words_ + piece.word] |= piece.mask;
    count(leaf_of_word_[piece.word], level, piece.nodes);
  }
}

void Fleet::take_up(const Lease::Piece& piece, std::uint32_t low, std::uint32_t high) {
  for (std::uint32_t level = low; level < high; ++level) {
    free_[std::size_t{level} * words_ + piece.word] &= ~piece.mask;
    count(leaf_of_word_[piece.word], level, -std::int64_t{piece.nodes});
  }
}

void Fleet::take_from(std::uint32_t leaf, std::uint32_t nodes, Lease& lease) {
  // What is taken falls below `have`, so it is not met again.
  for (std::uint32_t have = lease.units; have <= units_ && nodes > 0; ++have)
    for (std::uint32_t word = first_word_[leaf]; word < first_word_[leaf + 1] && nodes > 0; ++word) {
      const std::uint64_t all = exactly(have, word);
      if (all == 0) continue;
      const auto n = static_cast<std::uint32_t>(std::popcount(all));
      const Lease::Piece piece{word, std::min(n, nodes), n > nodes ? lowest(all, nodes) : all};
      take_up(piece, have - lease.units, have);
      lease.pieces.push_back(piece);
      nodes -= piece.nodes;
    }
}

void Fleet::release(const Lease& lease) {
  for (const Lease::Piece& piece : lease.pieces) {
    // What rises must not be met again at its new count.
    std::uint64_t left = piece.mask;
    for (std::uint32_t have = 0; have + lease.units <= units_ && left != 0; ++have) {
      const std::uint64_t mask = left & exactly(have, piece.word);
      if (mask == 0) continue;
      const auto n = mask == piece.mask ? piece.nodes : static_cast<std::uint32_t>(std::popcount(mask));
      free_up({piece.word, n, mask}, have, have + lease.units);
      left &= ~mask;
    }
  }
}

std::uint32_t Fleet::free_units(std::uint32_t node) const {
  const std::uint32_t place = place_of_node_[node];
  std::uint32_t n = 0;
  while (n < units_ && (free_[std::size_t{n} * words_ + place / 64] >> place % 64 & 1) != 0) ++n;
  return n;
}

std::uint32_t Fleet::take(std::uint32_t node, std::uint32_t units) {
  const std::uint32_t have = free_units(node), taken = std::min(have, units), place = place_of_node_[node];
  take_up({place / 64, 1, std::uint64_t{1} << place % 64}, have - taken, have);
  return taken;
}

std::vector<std::uint32_t> Fleet::nodes_of(const Lease& lease) const {
  std::vector<std::uint32_t> out;
  for (const Lease::Piece& piece : lease.pieces)
    for (std::uint64_t bits = piece.mask; bits != 0; bits &= bits - 1)
      out.push_back(node_of_place_[std::size_t{piece.word} * 64 + static_cast<std::size_t>(std::countr_zero(bits))]);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace muster::scheduler

#include "scheduler/shares.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "scheduler/spines.h"

namespace muster::scheduler {
namespace {

// Leaves by capacity, largest first, then by number. A counting sort: capacities sum to at most
// the number of nodes, so this is linear.
std::vector<std::uint32_t> largest_first(const std::vector<std::int64_t>& capacity) {
  std::int64_t largest = 0;
  for (std::int64_t c : capacity) largest = std::max(largest, c);
  std::vector<std::size_t> start(static_cast<std::size_t>(largest) + 2, 0);
  for (std::int64_t c : capacity) ++start[static_cast<std::size_t>(largest - c) + 1];
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  std::vector<std::uint32_t> order(capacity.size());
  for (std::uint32_t leaf = 0; leaf < capacity.size(); ++leaf)
    order[start[static_cast<std::size_t>(largest - capacity[leaf])]++] = leaf;
  return order;
}

// The leaf that holds `need` and has least to give, of equal ones the first; that there is none: their number.
std::size_t tightest(const std::vector<std::int64_t>& capacity, std::int64_t need) {
  std::size_t found = capacity.size();
  for (std::size_t leaf = 0; leaf < capacity.size(); ++leaf)
    if (capacity[leaf] >= need && (found == capacity.size() || capacity[leaf] < capacity[found])) found = leaf;
  return found;
}

// How much of `need` each leaf takes: the fewest leaves, the last as tight as can be. The
// capacities must sum to `need` at least.
std::vector<std::int64_t> fewest(const std::vector<std::int64_t>& capacity, std::int64_t need) {
  std::vector<std::int64_t> taken(capacity.size(), 0);
  if (const std::size_t one = tightest(capacity, need); one < capacity.size()) {
    taken[one] = need;
    return taken;
  }
  const std::vector<std::uint32_t> order = largest_first(capacity);
  std::size_t next = 0;
  for (; capacity[order[next]] < need; ++next) {
    taken[order[next]] = capacity[order[next]];
    need -= capacity[order[next]];
  }
  std::size_t last = next;
  for (std::size_t i = next; i < order.size() && capacity[order[i]] >= need; ++i)
    if (capacity[order[i]] < capacity[order[last]]) last = i;
  taken[order[last]] = need;
  return taken;
}

// The same below the fewest spines.
Shares fewest_below(const std::vector<std::int64_t>& capacity, std::int64_t need,
                    std::span<const std::uint32_t> spine_of_leaf) {
  Shares out{fewest(capacity, need), 0};
  if (spine_of_leaf.empty()) return out;
  const auto leaves = std::count_if(out.by_leaf.begin(), out.by_leaf.end(), [](std::int64_t n) { return n > 0; });
  if (leaves == 1) return {std::move(out.by_leaf), 1};
  SpineChoice choice = choose_spines(capacity, spine_of_leaf, need, leaves);
  return {fewest(choice.capacity, need), choice.lower_bound};
}

}  // namespace

NodeState state_for(const Node& node, const Gang& gang) {
  if (!node.usable) return NodeState::unusable;
  const bool short_of_cpus_or_memory = node.cpus < gang.cpus || node.memory < gang.memory;
  // Only what is free is known of CPUs and memory, so an empty node alone proves "never".
  if (node.gpus_total < gang.gpus || (node.untouched && short_of_cpus_or_memory)) return NodeState::too_small;
  if (node.gpus < gang.gpus) return node.gpus > 0 ? NodeState::partial : NodeState::busy;
  if (short_of_cpus_or_memory || (gang.exclusive && !node.untouched)) return NodeState::busy;
  return NodeState::fit;
}

void Census::count(const Node& node, NodeState state, std::int64_t nodes) {
  switch (state) {
    case NodeState::fit: counts.fit += nodes; break;
    case NodeState::unusable: counts.unusable += nodes; break;
    case NodeState::busy: counts.busy += nodes; break;
    case NodeState::too_small: counts.too_small += nodes; break;
    case NodeState::partial:
      counts.partial += nodes;
      counts.partial_gpus = std::max(counts.partial_gpus, node.gpus);
      break;
  }
}

Placement counted(const Shares& shares, std::span<const std::uint32_t> spine_of_leaf) {
  Placement out;
  std::vector<std::uint32_t> spines;
  for (std::size_t leaf = 0; leaf < shares.by_leaf.size(); ++leaf) {
    if (shares.by_leaf[leaf] == 0) continue;
    ++out.leaves;
    if (!spine_of_leaf.empty()) spines.push_back(spine_of_leaf[leaf]);
  }
  std::sort(spines.begin(), spines.end());
  out.spines = std::unique(spines.begin(), spines.end()) - spines.begin();
  out.spine_bound = shares.spine_bound;
  out.lower_bound = out.leaves;  // T1: the largest leaves were taken
  return out;
}

std::variant<Shares, Shortage> share_out(const Census& census, const Gang& gang,
                                         std::span<const std::uint32_t> spine_of_leaf) {
  const auto shortage = [&](Shortage::Kind kind, std::int64_t need, std::int64_t have) {
    Shortage out = census.counts;
    out.kind = kind;
    out.need = need;
    out.have = have;
    return out;
  };
  if (census.counts.fit < gang.nodes) return shortage(Shortage::Kind::nodes, gang.nodes, census.counts.fit);

  // In one leaf every segment is too; so the whole gang is the unit that may not be cut.
  const std::int64_t unit = gang.one_leaf ? gang.nodes : std::max<std::int64_t>(gang.segment, 1);
  const std::int64_t need = gang.nodes / unit;
  if (unit == 1) return fewest_below(census.by_leaf, need, spine_of_leaf);
  std::vector<std::int64_t> units = census.by_leaf;
  std::int64_t have = 0, best = 0;
  for (std::int64_t& u : units) {
    best = std::max(best, u);
    u /= unit;
    have += u;
  }
  if (have < need && gang.one_leaf) return shortage(Shortage::Kind::one_leaf, gang.nodes, best);
  if (have < need) return shortage(Shortage::Kind::segments, need, have);
  if (gang.one_leaf) return fewest_below(census.by_leaf, gang.nodes, spine_of_leaf);
  Shares taken = fewest_below(units, need, spine_of_leaf);
  for (std::int64_t& t : taken.by_leaf) t *= unit;
  return taken;
}

void pick(std::span<const Node> nodes, std::span<const std::uint32_t> leaf, std::int64_t wanted,
          std::vector<std::uint32_t>& out) {
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return nodes[a].gpus != nodes[b].gpus ? nodes[a].gpus < nodes[b].gpus : a < b;
  };
  if (wanted == static_cast<std::int64_t>(leaf.size())) {
    out.insert(out.end(), leaf.begin(), leaf.end());
    return;
  }
  std::vector<std::uint32_t> ranked(leaf.begin(), leaf.end());
  std::nth_element(ranked.begin(), ranked.begin() + (wanted - 1), ranked.end(), before);
  const std::uint32_t worst = ranked[static_cast<std::size_t>(wanted - 1)];
  for (std::uint32_t node : leaf)
    if (!before(worst, node)) out.push_back(node);
}

}  // namespace muster::scheduler

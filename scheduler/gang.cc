#include "scheduler/gang.h"

#include <algorithm>
#include <cstddef>

namespace muster::scheduler {
namespace {

enum class State { fit, unusable, busy, partial, too_small };

State state_of(const Node& node, const Gang& gang) {
  if (!node.usable) return State::unusable;
  const bool short_of_cpus_or_memory = node.cpus < gang.cpus || node.memory < gang.memory;
  // Only what is free is known of CPUs and memory, so an empty node alone proves "never".
  if (node.gpus_total < gang.gpus || (node.untouched && short_of_cpus_or_memory)) return State::too_small;
  if (node.gpus < gang.gpus) return node.gpus > 0 ? State::partial : State::busy;
  if (short_of_cpus_or_memory || (gang.exclusive && !node.untouched)) return State::busy;
  return State::fit;
}

// The nodes that take a pod, and the same by leaf.
struct Census {
  Shortage counts;                     // kind, need and have are not set yet
  std::vector<std::uint32_t> fitting;  // ascending
  std::vector<std::int64_t> by_leaf;
};

Census take_census(std::span<const Node> nodes, const Gang& gang) {
  Census census;
  std::uint32_t leaves = 0;
  for (const Node& node : nodes) leaves = std::max(leaves, node.leaf + 1);
  census.by_leaf.assign(leaves, 0);
  census.fitting.reserve(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    switch (state_of(nodes[i], gang)) {
      case State::fit:
        census.fitting.push_back(i);
        ++census.by_leaf[nodes[i].leaf];
        break;
      case State::unusable: ++census.counts.unusable; break;
      case State::busy: ++census.counts.busy; break;
      case State::too_small: ++census.counts.too_small; break;
      case State::partial:
        ++census.counts.partial;
        census.counts.partial_gpus = std::max(census.counts.partial_gpus, nodes[i].gpus);
        break;
    }
  }
  census.counts.fit = static_cast<std::int64_t>(census.fitting.size());
  return census;
}

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

// How much of `need` each leaf takes: the fewest leaves, the last as tight as can be. The
// capacities must sum to `need` at least.
std::vector<std::int64_t> share_out(const std::vector<std::int64_t>& capacity, std::int64_t need) {
  const std::vector<std::uint32_t> order = largest_first(capacity);
  std::vector<std::int64_t> taken(capacity.size(), 0);
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

// Of the nodes [begin, end), all of one leaf, the `wanted` with the fewest free GPUs, then the lowest
// numbers, appended in ascending order.
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

Placement build(std::span<const Node> nodes, const Census& census, const std::vector<std::int64_t>& taken) {
  // The fitting nodes grouped by leaf.
  std::vector<std::size_t> start(taken.size() + 1, 0);
  for (std::size_t leaf = 0; leaf < taken.size(); ++leaf)
    start[leaf + 1] = start[leaf] + static_cast<std::size_t>(census.by_leaf[leaf]);
  std::vector<std::uint32_t> grouped(census.fitting.size());
  std::vector<std::size_t> cursor(start.begin(), start.end() - 1);
  for (std::uint32_t node : census.fitting) grouped[cursor[nodes[node].leaf]++] = node;

  Placement placement;
  for (std::size_t leaf = 0; leaf < taken.size(); ++leaf) {
    if (taken[leaf] == 0) continue;
    ++placement.leaves;
    const auto members = std::span(grouped).subspan(start[leaf], start[leaf + 1] - start[leaf]);
    pick(nodes, members, taken[leaf], placement.nodes);
  }
  placement.lower_bound = placement.leaves;  // T1: the largest leaves were taken
  return placement;
}

}  // namespace

Answer place_gang(std::span<const Node> nodes, const Gang& gang) {
  if (gang.nodes <= 0) return Placement{};
  Census census = take_census(nodes, gang);
  const auto shortage = [&](Shortage::Kind kind, std::int64_t need, std::int64_t have) {
    census.counts.kind = kind;
    census.counts.need = need;
    census.counts.have = have;
    return census.counts;
  };
  if (census.counts.fit < gang.nodes) return shortage(Shortage::Kind::nodes, gang.nodes, census.counts.fit);

  // In one leaf every segment is too; so the whole gang is the unit that may not be cut.
  const std::int64_t unit = gang.one_leaf ? gang.nodes : std::max<std::int64_t>(gang.segment, 1);
  const std::int64_t need = gang.nodes / unit;
  std::vector<std::int64_t> units = census.by_leaf;
  std::int64_t have = 0, best = 0;
  for (std::int64_t& u : units) {
    best = std::max(best, u);
    u /= unit;
    have += u;
  }
  if (have < need && gang.one_leaf) return shortage(Shortage::Kind::one_leaf, gang.nodes, best);
  if (have < need) return shortage(Shortage::Kind::segments, need, have);

  std::vector<std::int64_t> taken = gang.one_leaf ? census.by_leaf : units;
  taken = share_out(taken, gang.one_leaf ? gang.nodes : need);
  if (!gang.one_leaf)
    for (std::int64_t& t : taken) t *= unit;
  return build(nodes, census, taken);
}

}  // namespace muster::scheduler

#include "scheduler/gang.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "scheduler/shares.h"

namespace muster::scheduler {
namespace {

// The nodes that take a pod, ascending, beside the counts.
Census take_census(std::span<const Node> nodes, const Gang& gang, std::vector<std::uint32_t>& fitting) {
  Census census;
  std::uint32_t leaves = 0;
  for (const Node& node : nodes) leaves = std::max(leaves, node.leaf + 1);
  census.by_leaf.assign(leaves, 0);
  fitting.reserve(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const NodeState state = state_for(nodes[i], gang);
    census.count(nodes[i], state, 1);
    if (state != NodeState::fit) continue;
    fitting.push_back(i);
    ++census.by_leaf[nodes[i].leaf];
  }
  return census;
}

void pick_all(std::span<const Node> nodes, const Census& census, const std::vector<std::uint32_t>& fitting,
              const std::vector<std::int64_t>& taken, Placement& placement) {
  // The fitting nodes grouped by leaf.
  std::vector<std::size_t> start(taken.size() + 1, 0);
  for (std::size_t leaf = 0; leaf < taken.size(); ++leaf)
    start[leaf + 1] = start[leaf] + static_cast<std::size_t>(census.by_leaf[leaf]);
  std::vector<std::uint32_t> grouped(fitting.size());
  std::vector<std::size_t> cursor(start.begin(), start.end() - 1);
  for (std::uint32_t node : fitting) grouped[cursor[nodes[node].leaf]++] = node;

  for (std::size_t leaf = 0; leaf < taken.size(); ++leaf) {
    if (taken[leaf] == 0) continue;
    const auto members = std::span(grouped).subspan(start[leaf], start[leaf + 1] - start[leaf]);
    pick(nodes, members, taken[leaf], placement.nodes);
  }
}

}  // namespace

Answer place_gang(std::span<const Node> nodes, const Gang& gang, std::span<const std::uint32_t> spine_of_leaf) {
  if (gang.nodes <= 0) return Placement{};
  std::vector<std::uint32_t> fitting;
  const Census census = take_census(nodes, gang, fitting);
  const auto shares = share_out(census, gang, spine_of_leaf);
  if (const auto* shortage = std::get_if<Shortage>(&shares)) return *shortage;
  Placement out = counted(std::get<Shares>(shares), spine_of_leaf);
  pick_all(nodes, census, fitting, std::get<Shares>(shares).by_leaf, out);
  return out;
}

}  // namespace muster::scheduler

#include "scheduler/inventory.h"

#include <algorithm>
#include <utility>

#include "scheduler/shares.h"

namespace muster::scheduler {
namespace {

auto key(const Node& n) { return std::tuple{n.gpus, n.gpus_total, n.cpus, n.memory, n.usable, n.untouched}; }

}  // namespace

Inventory::Inventory(std::vector<Node> nodes, std::vector<std::uint32_t> spine_of_leaf)
    : nodes_(std::move(nodes)), spine_of_leaf_(std::move(spine_of_leaf)) {
  std::uint32_t leaves = 0;
  for (const Node& node : nodes_) leaves = std::max(leaves, node.leaf + 1);
  leaves_.resize(leaves);
  places_.resize(leaves);
  kind_of_node_.resize(nodes_.size());
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    // Neighbours are mostly alike.
    const bool same = i > 0 && key(nodes_[i]) == key(nodes_[i - 1]);
    kind_of_node_[i] = same ? kind_of_node_[i - 1] : kind_of(nodes_[i]);
    places_[nodes_[i].leaf].push_back(i);
    count(nodes_[i].leaf, kind_of_node_[i], 1);
  }
}

std::uint32_t Inventory::kind_of(const Node& node) {
  const auto [found, fresh] = numbers_.try_emplace(key(node), static_cast<std::uint32_t>(kinds_.size()));
  if (fresh) kinds_.push_back({node, 0});
  return found->second;
}

void Inventory::count(std::uint32_t leaf, std::uint32_t kind, std::int64_t more) {
  kinds_[kind].nodes += more;
  std::vector<Share>& shares = leaves_[leaf];
  const auto found = std::find_if(shares.begin(), shares.end(), [&](const Share& s) { return s.kind == kind; });
  if (found == shares.end()) {
    shares.push_back({kind, more});
  } else if ((found->nodes += more) == 0) {
    *found = shares.back();
    shares.pop_back();
  }
}

void Inventory::set(std::uint32_t index, Node now) {
  now.leaf = nodes_[index].leaf;
  nodes_[index] = now;
  count(now.leaf, kind_of_node_[index], -1);
  kind_of_node_[index] = kind_of(now);
  count(now.leaf, kind_of_node_[index], 1);
}

Answer Inventory::place(const Gang& gang) const {
  if (gang.nodes <= 0) return Placement{};
  std::vector<std::uint8_t> fits(kinds_.size(), 0);
  Census census;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (kinds_[k].nodes == 0) continue;
    const NodeState state = state_for(kinds_[k].sample, gang);
    census.count(kinds_[k].sample, state, kinds_[k].nodes);
    fits[k] = state == NodeState::fit ? 1 : 0;
  }
  census.by_leaf.assign(leaves_.size(), 0);
  for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf)
    for (const Share& share : leaves_[leaf])
      if (fits[share.kind] != 0) census.by_leaf[leaf] += share.nodes;
  const auto shares = share_out(census, gang, spine_of_leaf_);
  if (const auto* shortage = std::get_if<Shortage>(&shares)) return *shortage;
  const std::vector<std::int64_t>& taken = std::get<Shares>(shares).by_leaf;
  Placement out = counted(std::get<Shares>(shares), spine_of_leaf_);
  std::vector<std::uint32_t> fitting;
  for (std::size_t leaf = 0; leaf < taken.size(); ++leaf) {
    if (taken[leaf] == 0) continue;
    fitting.clear();
    for (const std::uint32_t node : places_[leaf])
      if (fits[kind_of_node_[node]] != 0) fitting.push_back(node);
    pick(nodes_, fitting, taken[leaf], out.nodes);
  }
  return out;
}

}  // namespace muster::scheduler

#include "tests/oracles/gang_oracle.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace muster::oracles {
namespace {

using scheduler::Gang;
using scheduler::Node;
using scheduler::Placement;
using scheduler::Shortage;

bool takes_pod(const Node& n, const Gang& g) {
  const bool room = n.gpus >= g.gpus && n.gpus_total >= g.gpus && n.cpus >= g.cpus && n.memory >= g.memory;
  return n.usable && room && (n.untouched || !g.exclusive);
}

// Sharing out node by node: leaf by leaf, every count of nodes that it could give.
struct OneGangSearch {
  const Gang& gang;
  std::vector<std::int64_t> room;  // by leaf
  std::optional<std::int64_t> best;

  void leaf(std::size_t at, std::int64_t left, std::int64_t used) {
    if (left == 0) {
      if (gang.one_leaf && used != 1) return;
      if (!best || used < *best) best = used;
      return;
    }
    if (at == room.size()) return;
    for (std::int64_t n = 0; n <= std::min(room[at], left); ++n) {
      if (gang.segment > 1 && n % gang.segment != 0) continue;
      leaf(at + 1, left - n, used + (n > 0 ? 1 : 0));
    }
  }
};

std::map<std::uint32_t, std::vector<std::uint32_t>> fitting_by_leaf(std::span<const Node> nodes, const Gang& gang) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> out;
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if (takes_pod(nodes[i], gang)) out[nodes[i].leaf].push_back(i);
  return out;
}

std::string fault_in(std::span<const Node> nodes, const Gang& gang, const Placement& p) {
  const std::optional<std::int64_t> fewest = fewest_leaves(nodes, gang);
  if (!fewest) return "no placement exists";
  if (static_cast<std::int64_t>(p.nodes.size()) != gang.nodes) return "wrong number of nodes";
  if (std::set<std::uint32_t>(p.nodes.begin(), p.nodes.end()).size() != p.nodes.size()) return "a node is taken twice";
  std::map<std::uint32_t, std::vector<std::uint32_t>> used;
  std::pair<std::uint32_t, std::uint32_t> last{0, 0};
  for (std::uint32_t i : p.nodes) {
    if (i >= nodes.size()) return "no such node";
    if (!takes_pod(nodes[i], gang)) return "a node does not take the pod";
    if (std::pair{nodes[i].leaf, i} < last) return "not in order";
    last = {nodes[i].leaf, i};
    used[nodes[i].leaf].push_back(i);
  }
  for (const auto& [leaf, taken] : used)
    if (gang.segment > 1 && static_cast<std::int64_t>(taken.size()) % gang.segment != 0) return "a segment is split";
  if (gang.one_leaf && used.size() != 1) return "more than one leaf";
  if (p.leaves != static_cast<std::int64_t>(used.size())) return "wrong count of leaves";
  if (p.leaves != *fewest) return "not the fewest leaves";
  if (p.lower_bound != *fewest) return "wrong lower bound";
  // Packed: no node left out in a leaf has fewer free GPUs (or as many and a lower number).
  auto fitting = fitting_by_leaf(nodes, gang);
  for (auto& [leaf, taken] : used) {
    auto& all = fitting[leaf];
    std::stable_sort(all.begin(), all.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return nodes[a].gpus < nodes[b].gpus; });
    all.resize(taken.size());
    std::sort(all.begin(), all.end());
    if (all != taken) return "partial nodes are not packed first";
  }
  return {};
}

// Every node in one class, as gang.h words them.
Shortage count_classes(std::span<const Node> nodes, const Gang& gang) {
  Shortage s;
  for (const Node& n : nodes) {
    const bool never = n.gpus_total < gang.gpus || (n.untouched && (n.cpus < gang.cpus || n.memory < gang.memory));
    if (takes_pod(n, gang)) ++s.fit;
    else if (!n.usable) ++s.unusable;
    else if (never) ++s.too_small;
    else if (n.gpus > 0 && n.gpus < gang.gpus) ++s.partial, s.partial_gpus = std::max(s.partial_gpus, n.gpus);
    else ++s.busy;
  }
  return s;
}

std::string fault_in(std::span<const Node> nodes, const Gang& gang, const Shortage& s) {
  if (fewest_leaves(nodes, gang)) return "a placement exists";
  const Shortage truth = count_classes(nodes, gang);
  if (s.fit != truth.fit) return "wrong fit";
  if (s.unusable != truth.unusable) return "wrong unusable";
  if (s.busy != truth.busy) return "wrong busy";
  if (s.partial != truth.partial || s.partial_gpus != truth.partial_gpus) return "wrong partial";
  if (s.too_small != truth.too_small) return "wrong too_small";
  std::int64_t best = 0, segments = 0;
  for (const auto& [leaf, members] : fitting_by_leaf(nodes, gang)) {
    const auto n = static_cast<std::int64_t>(members.size());
    best = std::max(best, n);
    for (std::int64_t left = n; left >= gang.segment && gang.segment > 0; left -= gang.segment) ++segments;
  }
  const bool enough_nodes = truth.fit >= gang.nodes;
  switch (s.kind) {
    case Shortage::Kind::nodes:
      if (enough_nodes) return "nodes are not short";
      return s.need == gang.nodes && s.have == truth.fit ? "" : "wrong need or have";
    case Shortage::Kind::one_leaf:
      if (!enough_nodes || !gang.one_leaf) return "the leaf is not what is short";
      return s.need == gang.nodes && s.have == best ? "" : "wrong need or have";
    case Shortage::Kind::segments:
      if (!enough_nodes || gang.one_leaf || gang.segment <= 1) return "segments are not what is short";
      return s.need * gang.segment == gang.nodes && s.have == segments ? "" : "wrong need or have";
  }
  return "unknown kind";
}

}  // namespace

std::optional<std::int64_t> fewest_leaves(std::span<const Node> nodes, const Gang& gang) {
  OneGangSearch search{gang, {}, {}};
  for (const auto& [leaf, members] : fitting_by_leaf(nodes, gang))
    search.room.push_back(static_cast<std::int64_t>(members.size()));
  search.leaf(0, gang.nodes, 0);
  return search.best;
}

std::int64_t fewest_spines(std::span<const Node> nodes, const Gang& gang, std::span<const std::uint32_t> spine_of_leaf,
                           std::int64_t leaves) {
  const auto fitting = fitting_by_leaf(nodes, gang);
  std::int64_t best = leaves;
  for (std::uint32_t mask = 0; mask < 1U << spine_of_leaf.size(); ++mask) {
    std::int64_t room = 0, taken = 0;
    std::set<std::uint32_t> spines;
    for (std::uint32_t leaf = 0; leaf < spine_of_leaf.size(); ++leaf) {
      if ((mask >> leaf & 1U) == 0) continue;
      ++taken;
      spines.insert(spine_of_leaf[leaf]);
      const auto n = fitting.contains(leaf) ? static_cast<std::int64_t>(fitting.at(leaf).size()) : 0;
      room += gang.one_leaf ? n : n - n % std::max<std::int64_t>(gang.segment, 1);
    }
    if (taken == leaves && room >= gang.nodes) best = std::min(best, static_cast<std::int64_t>(spines.size()));
  }
  return best;
}

std::string fault_of(std::span<const Node> nodes, const Gang& gang, const scheduler::Answer& answer,
                     std::span<const std::uint32_t> spine_of_leaf) {
  const std::string fault = std::visit([&](const auto& a) { return fault_in(nodes, gang, a); }, answer);
  const auto* p = std::get_if<Placement>(&answer);
  if (!fault.empty() || p == nullptr || spine_of_leaf.empty() || p->nodes.empty()) return fault;
  std::set<std::uint32_t> spines;
  for (const std::uint32_t node : p->nodes) spines.insert(spine_of_leaf[nodes[node].leaf]);
  if (p->spines != static_cast<std::int64_t>(spines.size())) return "wrong count of spines";
  if (p->spines != fewest_spines(nodes, gang, spine_of_leaf, p->leaves)) return "not the fewest spines";
  return p->spine_bound == p->spines ? "" : "wrong bound of spines";
}

}  // namespace muster::oracles

#include "scheduler/inventory.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <utility>

#include "scheduler/shares.h"

namespace muster::scheduler {
namespace {

constexpr std::size_t most_views = 16;

auto key(const Node& n) { return std::tuple{n.gpus, n.gpus_total, n.cpus, n.memory, n.usable, n.untouched}; }

void count(std::vector<Inventory::KindCount>& counts, std::uint32_t kind, std::int64_t more) {
  for (Inventory::KindCount& known : counts) {
    if (known.kind != kind) continue;
    known.nodes += more;
    return;
  }
  counts.push_back({kind, more});
}

bool alike(const Node& a, const Node& b) {
  return a.gpus == b.gpus && a.gpus_total == b.gpus_total && a.cpus == b.cpus && a.memory == b.memory &&
         a.usable == b.usable && a.untouched == b.untouched;
}

auto shape(const Gang& g) { return std::tuple{g.gpus, g.cpus, g.memory, g.exclusive}; }

}  // namespace

Inventory::Inventory(std::vector<Node> nodes, std::vector<std::uint32_t> spine_of_leaf)
    : nodes_(std::move(nodes)),
      kind_of_node_(nodes_.size()),
      spine_of_leaf_(std::move(spine_of_leaf)),
      node_at_place_(nodes_.size()) {
  std::iota(node_at_place_.begin(), node_at_place_.end(), 0);
  place_of_node_ = node_at_place_;
  if (!std::is_sorted(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) { return a.leaf < b.leaf; })) {
    const auto by_leaf = [&](std::uint32_t a, std::uint32_t b) { return nodes_[a].leaf < nodes_[b].leaf; };
    std::stable_sort(node_at_place_.begin(), node_at_place_.end(), by_leaf);
    for (std::uint32_t place = 0; place < nodes_.size(); ++place) place_of_node_[node_at_place_[place]] = place;
  }
  const std::span<const Node> all = nodes_;
  std::uint32_t leaves = 0;
  for (std::uint32_t place = 0; place < all.size(); ++place)
    for (const std::uint32_t leaf = all[node_at_place_[place]].leaf; leaves <= leaf; ++leaves)
      first_place_.push_back(place);
  first_place_.push_back(static_cast<std::uint32_t>(all.size()));
  for (std::size_t first = 0, end = 0; first < all.size(); first = end) {  // neighbours are mostly alike
    const Node sample = all[first];
    while (++end < all.size() && alike(all[end], sample)) continue;
    const std::uint32_t kind = kind_of(sample);
    kinds_[kind].nodes += static_cast<std::int64_t>(end - first);
    std::fill_n(kind_of_node_.begin() + static_cast<std::ptrdiff_t>(first), end - first, kind);
  }
}

std::uint32_t Inventory::kind_of(const Node& node) {
  if (last_kind_ < kinds_.size() && alike(node, kinds_[last_kind_].sample)) return last_kind_;
  const auto [found, fresh] = numbers_.try_emplace(key(node), static_cast<std::uint32_t>(kinds_.size()));
  if (fresh) kinds_.push_back({node, 0});
  return last_kind_ = found->second;
}

void Inventory::set(std::uint32_t index, const Node& now) {
  const std::uint32_t before = kind_of_node_[index], after = kind_of(now), leaf = nodes_[index].leaf;
  nodes_[index] = now;
  nodes_[index].leaf = leaf;
  if (before == after) return;
  --kinds_[before].nodes, ++kinds_[after].nodes;
  kind_of_node_[index] = after;
  if (!by_leaf_.empty()) count(by_leaf_[leaf], before, -1), count(by_leaf_[leaf], after, 1);
  for (View& view : views_) {
    while (view.fits.size() < kinds_.size())
      view.fits.push_back(state_for(kinds_[view.fits.size()].sample, view.pod) == NodeState::fit ? 1 : 0);
    if (view.fits[before] != 0) change(view, place_of_node_[index], before, false);
    if (view.fits[after] != 0) change(view, place_of_node_[index], after, true);
  }
}

void Inventory::change(View& view, std::uint32_t place, std::uint32_t kind, bool opens) const {
  const auto alike = view.by_gpus.try_emplace(kinds_[kind].sample.gpus, 0).first;
  if ((alike->second += opens ? 1 : -1) == 0) view.by_gpus.erase(alike);
  view.open[place / 64] ^= std::uint64_t{1} << place % 64;
  view.leaves.add(nodes_[node_at_place_[place]].leaf, opens ? 1 : -1);
}

std::vector<std::uint8_t> Inventory::kinds_that_take(const Gang& gang) const {
  std::vector<std::uint8_t> out;
  out.reserve(kinds_.size());
  for (const Kind& kind : kinds_) out.push_back(state_for(kind.sample, gang) == NodeState::fit ? 1 : 0);
  return out;
}

Inventory::View Inventory::make_view(const Gang& gang, std::vector<std::uint8_t> fits) const {
  std::vector<std::uint64_t> open(nodes_.size() / 64 + 1, 0);
  std::vector<std::int64_t> by_leaf(first_place_.empty() ? 0 : first_place_.size() - 1, 0);
  for (std::size_t leaf = 0; leaf < by_leaf.size(); ++leaf)
    for (std::uint32_t place = first_place_[leaf]; place < first_place_[leaf + 1]; ++place) {
      const std::uint64_t takes = fits[kind_of_node_[node_at_place_[place]]];
      by_leaf[leaf] += static_cast<std::int64_t>(takes);
      open[place / 64] |= takes << place % 64;
    }
  std::map<std::int32_t, std::int64_t> by_gpus;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
    if (fits[kind] != 0 && kinds_[kind].nodes > 0) by_gpus[kinds_[kind].sample.gpus] += kinds_[kind].nodes;
  return {gang, std::move(fits), std::move(open), std::move(by_gpus), LeafCounts(std::move(by_leaf))};
}

// Whether the same nodes take the pods of a view; of kinds that no node is of it makes no difference.
bool Inventory::answers_for(const View& view, const std::vector<std::uint8_t>& fits) const {
  for (std::size_t kind = 0; kind < fits.size(); ++kind) {
    const bool known = kind < view.fits.size();
    if (kinds_[kind].nodes > 0 && (!known || view.fits[kind] != fits[kind])) return false;
  }
  return true;
}

Inventory::View& Inventory::view_of(const Gang& gang) const {
  auto found =
      std::find_if(views_.begin(), views_.end(), [&](const View& view) { return shape(view.pod) == shape(gang); });
  if (found == views_.end()) {
    std::vector<std::uint8_t> fits = kinds_that_take(gang);
    found = std::find_if(views_.begin(), views_.end(), [&](const View& view) { return answers_for(view, fits); });
    if (found == views_.end()) {
      if (views_.size() == most_views) views_.erase(views_.begin());
      return views_.emplace_back(make_view(gang, std::move(fits)));
    }
    found->pod = gang, found->fits = std::move(fits);
  }
  std::rotate(found, found + 1, views_.end());
  return views_.back();
}

const std::vector<std::vector<Inventory::KindCount>>& Inventory::kinds_by_leaf() const {
  if (!by_leaf_.empty() || first_place_.empty()) return by_leaf_;
  by_leaf_.resize(first_place_.size() - 1);
  for (std::uint32_t leaf = 0; leaf < by_leaf_.size(); ++leaf)
    for (const std::uint32_t node : nodes_of_leaf(leaf)) count(by_leaf_[leaf], kind_of_node_[node], 1);
  return by_leaf_;
}

std::span<const std::uint32_t> Inventory::nodes_of_leaf(std::uint32_t leaf) const {
  return std::span(node_at_place_).subspan(first_place_[leaf], first_place_[leaf + 1] - first_place_[leaf]);
}

// Every leaf is looked at: for what is missing, for segments, and for leaves below several spines.
Answer Inventory::place_by_census(const Gang& gang, const View& view) const {
  Census census;
  for (const Kind& kind : kinds_)
    if (kind.nodes > 0) census.count(kind.sample, state_for(kind.sample, gang), kind.nodes);
  census.by_leaf = view.leaves.by_leaf();
  const auto shares = share_out(census, gang, spine_of_leaf_);
  if (const auto* shortage = std::get_if<Shortage>(&shares)) return *shortage;
  const std::vector<std::int64_t>& taken = std::get<Shares>(shares).by_leaf;
  Placement out = counted(std::get<Shares>(shares), spine_of_leaf_);
  for (std::uint32_t leaf = 0; leaf < taken.size(); ++leaf)
    if (taken[leaf] > 0) take_from(view, {leaf, taken[leaf]}, false, out.nodes);
  return out;
}

// As pick() chooses them. `alike`: all nodes that take a pod have as many free GPUs.
void Inventory::take_from(const View& view, const LeafShare& share, bool alike, std::vector<std::uint32_t>& out) const {
  const std::uint32_t first = first_place_[share.leaf], end = first_place_[share.leaf + 1];
  const auto wanted = alike ? static_cast<std::size_t>(share.nodes) : std::size_t{end} - first;
  std::vector<std::uint32_t> fitting;
  for (std::uint32_t word = first / 64; word * 64 < end && fitting.size() < wanted; ++word) {
    std::uint64_t bits = view.open[word];
    if (word == first / 64) bits &= ~std::uint64_t{0} << first % 64;
    for (; bits != 0 && fitting.size() < wanted; bits &= bits - 1) {
      const auto place = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
      if (place >= end) break;
      fitting.push_back(node_at_place_[place]);
    }
  }
  pick(nodes_, fitting, share.nodes, out);
}

Answer Inventory::place(const Gang& gang) const {
  if (gang.nodes <= 0) return Placement{};
  View& view = view_of(gang);
  const bool short_of = view.leaves.total() < gang.nodes || (gang.one_leaf && view.leaves.largest() < gang.nodes);
  if (short_of || (gang.segment > 1 && !gang.one_leaf)) return place_by_census(gang, view);
  const std::vector<LeafShare> shares = view.leaves.fewest(gang.nodes);
  if (shares.size() > 1 && !spine_of_leaf_.empty()) return place_by_census(gang, view);
  Placement out;
  out.leaves = out.lower_bound = static_cast<std::int64_t>(shares.size());  // T1: the largest leaves were taken
  if (!spine_of_leaf_.empty()) out.spines = out.spine_bound = 1;
  const bool alike = view.by_gpus.size() == 1;
  out.nodes.reserve(static_cast<std::size_t>(gang.nodes));
  for (const LeafShare& share : shares) take_from(view, share, alike, out.nodes);
  return out;
}

}  // namespace muster::scheduler

#include "scheduler/packing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "scheduler/exhaustive_search.h"
#include "scheduler/shares.h"
#include "scheduler/stall.h"

namespace muster::scheduler {
namespace {

// What each leaf holds of the gang, on the nodes as they are; of a node no more than all its pods.
Census census_of(const Stalls& stalls, std::size_t gang, std::vector<std::int64_t>& by_node) {
  Census out;
  const std::vector<Stall>& all = stalls.all();
  by_node.assign(all.size(), 0);
  for (std::size_t n = 0; n < all.size(); ++n) {
    by_node[n] = std::min(stalls.capacity(n, gang), std::max<std::int64_t>(stalls.gangs()[gang].pods, 0));
    if (all[n].leaf >= out.by_leaf.size()) out.by_leaf.resize(std::size_t{all[n].leaf} + 1, 0);
    out.by_leaf[all[n].leaf] += by_node[n];
    out.counts.fit += by_node[n];
  }
  return out;
}

// Nodes that parts cut already come first, then those with least room, so that the others stay whole.
std::vector<std::uint32_t> fill_order(const Stalls& stalls, const std::vector<std::int64_t>& by_node) {
  std::vector<std::uint32_t> order;
  std::vector<bool> cut(by_node.size(), false);
  for (std::uint32_t n = 0; n < by_node.size(); ++n) {
    if (by_node[n] == 0) continue;
    order.push_back(n);
    for (const std::uint32_t state : stalls.all()[n].devices) {
      const Device& device = stalls.table().device(state);
      cut[n] = cut[n] || (!device.free() && !device.whole);
    }
  }
  const auto key = [&](std::uint32_t n) { return std::tuple{stalls.all()[n].leaf, !cut[n], by_node[n]}; };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  return order;
}

// The gang on the fewest leaves; nullopt: it does not fit. Exact for this gang alone.
std::optional<std::vector<Seat>> place_one(Stalls& stalls, std::size_t gang,
                                           std::span<const std::uint32_t> spine_of_leaf, std::int64_t& spine_bound) {
  std::vector<std::int64_t> by_node;
  const Census census = census_of(stalls, gang, by_node);
  const std::int64_t pods = stalls.gangs()[gang].pods;
  if (pods <= 0) return std::vector<Seat>{};
  const auto shares = share_out(census, {.nodes = pods}, spine_of_leaf);
  if (std::holds_alternative<Shortage>(shares)) return std::nullopt;
  std::vector<std::int64_t> left = std::get<Shares>(shares).by_leaf;
  spine_bound = std::get<Shares>(shares).spine_bound;
  std::vector<Seat> out;
  for (const std::uint32_t n : fill_order(stalls, by_node)) {
    std::int64_t& here = left[stalls.all()[n].leaf];
    for (std::int64_t k = std::min(by_node[n], here); k > 0; --k, --here) out.push_back(stalls.put(n, gang));
  }
  return out;
}

// Whole GPUs and large parts first, then by CPUs, memory and count.
std::vector<std::uint32_t> hardest_first(const Stalls& stalls, const Cut& cut) {
  std::vector<std::uint32_t> order(stalls.gangs().size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t g) {
    const PodGang& gang = stalls.gangs()[g];
    std::int64_t size = gang.devices > 0 ? 100 : 0;
    if (gang.part.kind == Part::Kind::share) size = gang.part.amount;
    else if (gang.part.kind == Part::Kind::slice && gang.part.amount < cut.profiles.size())
      size = 12 * cut.profiles[gang.part.amount].size;
    return std::tuple{size * gang.devices, gang.cpus, gang.memory, gang.pods};
  };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) > key(b); });
  return order;
}

// More are not written down one by one.
constexpr std::int64_t most_pods = 1'000'000;

using Seats = std::vector<std::vector<Seat>>;

struct Found {
  Seats seats;
  std::int64_t spine_bound = 0;  // of the gang placed last
};

// Order after order, each with who was stuck moved to its front, until one serves all or none is new.
std::optional<Found> search(const Stalls& start, const Cut& cut, const PackOptions& options, std::int64_t& tried) {
  std::vector<std::uint32_t> order = hardest_first(start, cut);
  std::set<std::vector<std::uint32_t>> seen;
  while (tried < options.orders && seen.insert(order).second) {
    ++tried;
    Stalls stalls = start;
    Found out{Seats(order.size())};
    const auto stuck = std::find_if(order.begin(), order.end(), [&](std::uint32_t g) {
      auto placed = place_one(stalls, g, options.spine_of_leaf, out.spine_bound);
      if (placed) out.seats[g] = std::move(*placed);
      return !placed;
    });
    if (stuck == order.end()) return out;
    std::rotate(order.begin(), stuck, stuck + 1);
  }
  return std::nullopt;
}

// So many pods need so many leaves with this room, or spines where these are given for each leaf.
std::int64_t fewest_of(std::vector<std::int64_t> room, std::int64_t pods,
                       std::span<const std::uint32_t> spine_of_leaf) {
  if (!spine_of_leaf.empty()) {
    std::map<std::uint32_t, std::int64_t> by_spine;
    for (std::size_t leaf = 0; leaf < room.size(); ++leaf) by_spine[spine_of_leaf[leaf]] += room[leaf];
    room.clear();
    for (const auto& [spine, here] : by_spine) room.push_back(here);
  }
  if (room.empty() || pods <= 0) return 0;
  if (*std::max_element(room.begin(), room.end()) >= pods) return 1;
  std::sort(room.rbegin(), room.rend());
  std::int64_t domains = 0;
  for (const std::int64_t here : room)
    if (pods > 0) pods -= here, ++domains;
  return domains;
}

// Each gang alone needs so many; all of them the most of these.
std::int64_t fewest_bound(const Stalls& stalls, std::span<const std::uint32_t> spine_of_leaf) {
  std::int64_t bound = 0;
  std::vector<std::int64_t> by_node;
  for (std::size_t g = 0; g < stalls.gangs().size(); ++g)
    bound = std::max(bound, fewest_of(census_of(stalls, g, by_node).by_leaf, stalls.gangs()[g].pods, spine_of_leaf));
  return bound;
}

Packed packed(std::span<const PackNode> nodes, const Stalls& start, Found found,
              std::span<const std::uint32_t> spine_of_leaf) {
  Packed out{std::move(found.seats), 0, fewest_bound(start, {})};
  std::set<std::uint32_t> leaves, spines;
  for (std::vector<Seat>& gang : out.seats) {
    std::stable_sort(gang.begin(), gang.end(), [&](const Seat& a, const Seat& b) {
      return std::pair{nodes[a.node].leaf, a.node} < std::pair{nodes[b.node].leaf, b.node};
    });
    for (const Seat& seat : gang) leaves.insert(nodes[seat.node].leaf);
  }
  out.leaves = static_cast<std::int64_t>(leaves.size());
  if (spine_of_leaf.empty()) return out;
  for (const std::uint32_t leaf : leaves) spines.insert(spine_of_leaf[leaf]);
  out.spines = static_cast<std::int64_t>(spines.size());
  const bool one = start.gangs().size() == 1;
  out.spine_bound = std::max(one ? found.spine_bound : 0, fewest_bound(start, spine_of_leaf));
  return out;
}

// How many pods of the gang a node of each kind takes.
std::vector<std::int64_t> room_by_kind(const Inventory& stock, const PodGang& gang) {
  std::vector<std::int64_t> out;
  for (const Inventory::Kind& kind : stock.kinds()) {
    const Node& node = kind.sample;
    std::int64_t room = node.usable ? std::min(gang.a_node, gang.pods) : 0;
    if (gang.cpus > 0) room = std::min(room, node.cpus / gang.cpus);
    if (gang.memory > 0) room = std::min(room, node.memory / gang.memory);
    if (gang.devices > 0) room = std::min<std::int64_t>(room, std::max(node.gpus, 0) / gang.devices);
    out.push_back(std::max<std::int64_t>(room, 0));
  }
  return out;
}

// The pods on one leaf: on the nodes with least room first, so that the others stay whole.
void seat_on(const Inventory& stock, std::uint32_t leaf, std::int64_t pods, const PodGang& gang,
             const std::vector<std::int64_t>& room, std::vector<Seat>& out) {
  std::vector<std::uint32_t> order;
  const auto room_of = [&](std::uint32_t node) { return room[stock.kind_of_node(node)]; };
  for (const std::uint32_t node : stock.nodes_of_leaf(leaf))
    if (room_of(node) > 0) order.push_back(node);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return room_of(a) < room_of(b); });
  for (const std::uint32_t node : order)
    for (std::int64_t k = 0; k < room_of(node) && pods > 0; ++k, --pods) {
      Seat& seat = out.emplace_back(Seat{node, {}, 0});
      for (std::int32_t d = 0; d < gang.devices; ++d)
        seat.devices.push_back(static_cast<std::uint32_t>(k * gang.devices + d));
    }
}

}  // namespace

std::optional<Packed> pack_alike(const Inventory& stock, const PodGang& gang) {
  if (gang.pods <= 0 || gang.pods > most_pods) return std::nullopt;
  const std::vector<std::int64_t> room = room_by_kind(stock, gang);
  Census census;
  for (const auto& kinds : stock.kinds_by_leaf()) {
    std::int64_t& here = census.by_leaf.emplace_back(0);
    for (const Inventory::KindCount& kind : kinds) here += room[kind.kind] * kind.nodes;
    census.counts.fit += here;
  }
  const auto shares = share_out(census, {.nodes = gang.pods}, stock.spine_of_leaf());
  if (std::holds_alternative<Shortage>(shares)) return std::nullopt;
  const Shares& taken = std::get<Shares>(shares);
  Packed out{{{}}, 0, fewest_of(census.by_leaf, gang.pods, {})};
  std::set<std::uint32_t> spines;
  for (std::uint32_t leaf = 0; leaf < taken.by_leaf.size(); ++leaf) {
    if (taken.by_leaf[leaf] <= 0) continue;
    ++out.leaves;
    if (!stock.spine_of_leaf().empty()) spines.insert(stock.spine_of_leaf()[leaf]);
    const auto first = static_cast<std::ptrdiff_t>(out.seats[0].size());
    seat_on(stock, leaf, taken.by_leaf[leaf], gang, room, out.seats[0]);
    std::stable_sort(out.seats[0].begin() + first, out.seats[0].end(),
                     [](const Seat& a, const Seat& b) { return a.node < b.node; });
  }
  out.spines = static_cast<std::int64_t>(spines.size());
  if (!stock.spine_of_leaf().empty())
    out.spine_bound = std::max(taken.spine_bound, fewest_of(census.by_leaf, gang.pods, stock.spine_of_leaf()));
  return out;
}

PackAnswer pack(std::span<const PackNode> nodes, const Cut& cut, std::span<const PodGang> gangs,
                const PackOptions& options) {
  const Stalls start(nodes, cut, gangs);
  std::int64_t tried = 0, pods = 0;
  for (const PodGang& gang : gangs) pods += std::clamp<std::int64_t>(gang.pods, 0, most_pods + 1);
  // The proof costs less than the other orders, which it spares.
  PackOptions searched = options;
  if (pods > most_pods) searched.orders = 0;
  PackOptions first = searched;
  first.orders = std::min<std::int64_t>(searched.orders, 1);
  std::optional<Found> found = search(start, cut, first, tried);
  if (!found)
    if (Overweight proof = find_overweight(nodes, cut, gangs); proof.need > proof.have) return proof;
  if (!found) tried = 0, found = search(start, cut, searched, tried);
  if (found) return packed(nodes, start, std::move(*found), options.spine_of_leaf);
  SearchResult every = search_exhaustively(start, hardest_first(start, cut), options.branches);
  if (every.all_placed) return packed(nodes, start, {std::move(every.seats), 0}, options.spine_of_leaf);
  if (every.complete) return Exhausted{every.pods, every.most};
  return PackingGaveUp{tried + every.branches};
}

}  // namespace muster::scheduler

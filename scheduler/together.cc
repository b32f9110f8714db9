#include "scheduler/together.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "scheduler/apart.h"

namespace muster::scheduler {
namespace {

// Which nodes a gang takes among those that have room.
enum class Strategy : std::uint8_t { fewest_leaves, fullest_first, emptiest_first };

// Nodes as one member sees them while others hold some.
class Board {
 public:
  Board(std::span<const Node> nodes, bool apart) : nodes_(nodes.begin(), nodes.end()), apart_(apart) {}

  std::vector<Node> seen_by(const Member& member) const {
    std::vector<Node> out = nodes_;
    for (std::size_t n = 0; n < out.size(); ++n) {
      if (!member.barred.empty() && member.barred[n]) out[n].usable = false;
      if (!member.leaf.empty()) out[n].leaf = member.leaf[n];
    }
    return out;
  }

  void take(const Gang& gang, const std::vector<std::uint32_t>& taken) {
    for (const std::uint32_t n : taken) {
      Node& node = nodes_[n];
      node.gpus -= gang.gpus;
      node.cpus -= gang.cpus;
      node.memory -= gang.memory;
      node.untouched = false;
      if (apart_ || gang.exclusive) node.usable = false;
    }
  }

 private:
  std::vector<Node> nodes_;
  bool apart_;
};

// Without domains: the nodes with most, or least, left.
std::optional<Placement> by_room(std::span<const Node> nodes, const Gang& gang, bool fullest) {
  std::vector<std::uint32_t> fitting;
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    if (takes(nodes[n], {gang}, n)) fitting.push_back(n);
  if (static_cast<std::int64_t>(fitting.size()) < gang.nodes) return std::nullopt;
  const auto room = [&](std::uint32_t n) { return std::tuple{nodes[n].gpus, nodes[n].cpus, nodes[n].memory}; };
  std::stable_sort(fitting.begin(), fitting.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return fullest ? room(a) > room(b) : room(a) < room(b); });
  fitting.resize(static_cast<std::size_t>(gang.nodes));
  std::sort(fitting.begin(), fitting.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair{nodes[a].leaf, a} < std::pair{nodes[b].leaf, b};
  });
  return Placement{std::move(fitting), 0, 0};
}

std::optional<Placement> place_one(const Board& board, const Member& member, Strategy strategy) {
  const std::vector<Node> seen = board.seen_by(member);
  if (strategy != Strategy::fewest_leaves && member.gang.segment <= 1 && !member.gang.one_leaf)
    return by_room(seen, member.gang, strategy == Strategy::fullest_first);
  Answer answer = place_gang(seen, member.gang);
  if (Placement* placement = std::get_if<Placement>(&answer)) return std::move(*placement);
  return std::nullopt;
}

std::int64_t leaves_of(std::span<const Node> nodes, const Placement& placement) {
  std::vector<std::uint32_t> leaves;
  for (const std::uint32_t n : placement.nodes) leaves.push_back(nodes[n].leaf);
  std::sort(leaves.begin(), leaves.end());
  return std::unique(leaves.begin(), leaves.end()) - leaves.begin();
}

std::int64_t leaves_of(std::span<const Node> nodes, const std::vector<Placement>& placements) {
  Placement all;
  for (const Placement& p : placements) all.nodes.insert(all.nodes.end(), p.nodes.begin(), p.nodes.end());
  return leaves_of(nodes, all);
}

using Order = std::vector<std::uint32_t>;

// All in that order, or the member that found no place.
struct Attempt {
  std::vector<Placement> placements;
  std::optional<std::uint32_t> stuck;
};

Attempt attempt(std::span<const Node> nodes, std::span<const Member> members, const Order& order, Strategy strategy,
                bool apart) {
  Board board(nodes, apart);
  Attempt out{std::vector<Placement>(members.size()), {}};
  for (const std::uint32_t m : order) {
    std::optional<Placement> placement = place_one(board, members[m], strategy);
    if (!placement) {
      out.stuck = m;
      return out;
    }
    board.take(members[m].gang, placement->nodes);
    out.placements[m] = std::move(*placement);
  }
  return out;
}

// Who may not be cut comes first, then who asks most of a node, then the most nodes.
Order hardest_first(std::span<const Member> members) {
  Order order(members.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t m) {
    const Gang& g = members[m].gang;
    return std::tuple{g.one_leaf, g.exclusive, g.gpus, g.cpus, g.memory, g.segment, g.nodes};
  };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) > key(b); });
  return order;
}

// Order after order, each with who was stuck moved to its front, until one serves all or none is new.
std::optional<std::vector<Placement>> search(std::span<const Node> nodes, std::span<const Member> members,
                                             Strategy strategy, const JointOptions& options, std::int64_t& tried) {
  Order order = hardest_first(members);
  std::vector<Order> seen;
  while (tried < options.tries && std::find(seen.begin(), seen.end(), order) == seen.end()) {
    ++tried;
    Attempt now = attempt(nodes, members, order, strategy, options.apart);
    if (!now.stuck) return std::move(now.placements);
    seen.push_back(order);
    const auto stuck = std::find(order.begin(), order.end(), *now.stuck);
    std::rotate(order.begin(), stuck, stuck + 1);
  }
  return std::nullopt;
}

// The nodes of the leaves with most free GPUs (nodes, where there are none) alone.
std::vector<Node> only_leaves(std::span<const Node> nodes, std::int64_t wanted) {
  std::uint32_t leaves = 0;
  for (const Node& node : nodes) leaves = std::max(leaves, node.leaf + 1);
  std::vector<std::pair<std::int64_t, std::uint32_t>> room(leaves);
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) room[leaf] = {0, leaf};
  for (const Node& node : nodes)
    if (node.usable) room[node.leaf].first -= 1 + std::int64_t{node.gpus} * 1024;
  std::sort(room.begin(), room.end());
  std::vector<bool> kept(leaves, false);
  for (std::size_t i = 0; i < std::min(room.size(), static_cast<std::size_t>(wanted)); ++i) kept[room[i].second] = true;
  std::vector<Node> out(nodes.begin(), nodes.end());
  for (Node& node : out) node.usable &= kept[node.leaf];
  return out;
}

// Fewer leaves than `found`, if the fullest few hold all.
void tighten(std::span<const Node> nodes, std::span<const Member> members, const JointOptions& options,
             Together& found) {
  constexpr std::int64_t widths = 4;
  const std::int64_t end = std::min(found.leaves, found.lower_bound + widths);
  for (std::int64_t k = found.lower_bound; k < end; ++k) {
    std::int64_t tried = std::max<std::int64_t>(options.tries - 8, 0);
    if (auto placements = search(only_leaves(nodes, k), members, Strategy::fewest_leaves, options, tried)) {
      found.placements = std::move(*placements);
      found.leaves = leaves_of(nodes, found.placements);
      return;
    }
  }
}

}  // namespace

JointAnswer place_together(std::span<const Node> nodes, std::span<const Member> members, const JointOptions& options) {
  std::vector<std::int64_t> alone(members.size());
  for (std::uint32_t m = 0; m < members.size(); ++m) {
    const Answer answer = place_gang(Board(nodes, false).seen_by(members[m]), members[m].gang);
    if (const Shortage* shortage = std::get_if<Shortage>(&answer)) return MemberMisfit{m, *shortage};
    alone[m] = std::get<Placement>(answer).lower_bound;
  }
  // The proof costs less than the other orders and ways, which it spares.
  std::int64_t tried = 0;
  std::optional<std::vector<Placement>> found =
      search(nodes, members, Strategy::fewest_leaves, {options.apart, std::min<std::int64_t>(options.tries, 1)}, tried);
  if (!found)
    if (Line line = find_line(nodes, members, options.apart); line.need > line.have) return line;
  if (!found) tried = 0;
  for (const Strategy strategy : {Strategy::fewest_leaves, Strategy::fullest_first, Strategy::emptiest_first})
    if (!found) found = search(nodes, members, strategy, options, tried);
  if (!found && has_own_nodes(members, options.apart)) found = place_apart(nodes, members);
  if (!found) return GaveUp{tried};
  Together out{std::move(*found), 0, 0};
  out.leaves = leaves_of(nodes, out.placements);
  for (std::uint32_t m = 0; m < members.size(); ++m)
    if (members[m].leaf.empty()) out.lower_bound = std::max(out.lower_bound, alone[m]);
  out.lower_bound = std::max(out.lower_bound, fewest_leaves_bound(nodes, members, options.apart));
  if (out.leaves > out.lower_bound) tighten(nodes, members, options, out);
  for (std::uint32_t m = 0; m < members.size(); ++m) {
    out.placements[m].leaves = leaves_of(nodes, out.placements[m]);
    out.placements[m].lower_bound = members[m].leaf.empty() ? alone[m] : 1;
  }
  return out;
}

}  // namespace muster::scheduler

#include "tests/oracles/together_oracle.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/oracles/gang_oracle.h"

namespace muster::oracles {
namespace {

using scheduler::GaveUp;
using scheduler::Line;
using scheduler::Member;
using scheduler::MemberMisfit;
using scheduler::Node;
using scheduler::Placement;
using scheduler::Together;

// What is left of a node, and who is on it.
struct NodeLeft {
  std::int64_t gpus, cpus, memory;
  int pods = 0;
  bool closed = false;
};

std::vector<NodeLeft> all_of(std::span<const Node> nodes) {
  std::vector<NodeLeft> out;
  for (const Node& n : nodes) out.push_back({n.gpus, n.cpus, n.memory, 0, !n.usable});
  return out;
}

bool has_room(const Node& node, const NodeLeft& left, const Member& m, std::size_t index, bool apart) {
  if (left.closed || (!m.barred.empty() && m.barred[index])) return false;
  if (m.gang.exclusive && (left.pods > 0 || !node.untouched)) return false;
  if (apart && left.pods > 0) return false;
  return left.gpus >= m.gang.gpus && left.cpus >= m.gang.cpus && left.memory >= m.gang.memory;
}

void put(NodeLeft& left, const Member& m) {
  left.gpus -= m.gang.gpus;
  left.cpus -= m.gang.cpus;
  left.memory -= m.gang.memory;
  ++left.pods;
  left.closed |= m.gang.exclusive;
}

std::uint32_t domain(std::span<const Node> nodes, const Member& m, std::uint32_t node) {
  return m.leaf.empty() ? nodes[node].leaf : m.leaf[node];
}

std::string domains_fault(std::span<const Node> nodes, const Member& m, const std::vector<std::uint32_t>& taken) {
  std::map<std::uint32_t, std::int64_t> used;
  for (const std::uint32_t n : taken) ++used[domain(nodes, m, n)];
  if (m.gang.one_leaf) return used.size() <= 1 ? "" : "more than one leaf";
  for (const auto& [leaf, count] : used)
    if (count % std::max<std::int64_t>(m.gang.segment, 1) != 0) return "a segment is split";
  return {};
}

// Member by member, every set of nodes of the right size.
struct GangsSearch {
  std::span<const Node> nodes;
  std::span<const Member> members;
  bool apart;
  std::optional<std::int64_t> best;

  void member(std::size_t at, const std::vector<NodeLeft>& left, std::set<std::uint32_t> used) {
    if (at == members.size()) {
      const auto leaves = static_cast<std::int64_t>(used.size());
      if (!best || leaves < *best) best = leaves;
      return;
    }
    const Member& m = members[at];
    for (unsigned set = 0; set < 1U << nodes.size(); ++set) {
      if (std::popcount(set) != m.gang.nodes) continue;
      std::vector<NodeLeft> now = left;
      std::set<std::uint32_t> leaves = used;
      std::vector<std::uint32_t> taken;
      bool fits = true;
      for (std::uint32_t n = 0; n < nodes.size() && fits; ++n) {
        if ((set >> n & 1U) == 0) continue;
        fits = has_room(nodes[n], now[n], m, n, apart);
        put(now[n], m);
        leaves.insert(nodes[n].leaf);
        taken.push_back(n);
      }
      if (fits && domains_fault(nodes, m, taken).empty()) member(at + 1, now, leaves);
    }
  }
};

std::string placement_fault(std::span<const Node> nodes, const Member& m, const Placement& p,
                            std::vector<NodeLeft>& left, std::set<std::uint32_t>& leaves, bool apart) {
  if (static_cast<std::int64_t>(p.nodes.size()) != m.gang.nodes) return "wrong number of nodes";
  std::set<std::uint32_t> own;
  for (const std::uint32_t n : p.nodes) {
    if (n >= nodes.size()) return "no such node";
    if (!own.insert(n).second) return "a node is taken twice";
    if (!has_room(nodes[n], left[n], m, n, apart)) return "a node has no room";
    put(left[n], m);
    leaves.insert(nodes[n].leaf);
  }
  std::set<std::uint32_t> mine;
  for (const std::uint32_t n : p.nodes) mine.insert(nodes[n].leaf);
  if (p.leaves != static_cast<std::int64_t>(mine.size()) || p.lower_bound > p.leaves) return "wrong count of leaves";
  return domains_fault(nodes, m, p.nodes);
}

std::string fault_in(std::span<const Node> nodes, std::span<const Member> members, bool apart, const Together& t) {
  if (t.placements.size() != members.size()) return "wrong number of members";
  std::vector<NodeLeft> left = all_of(nodes);
  std::set<std::uint32_t> leaves;
  for (std::size_t m = 0; m < members.size(); ++m)
    if (std::string f = placement_fault(nodes, members[m], t.placements[m], left, leaves, apart); !f.empty()) return f;
  if (t.leaves != static_cast<std::int64_t>(leaves.size())) return "wrong count of leaves";
  if (t.lower_bound > t.leaves) return "a bound above what was found";
  for (const Placement& p : t.placements)
    if (p.lower_bound > t.lower_bound && t.lower_bound == 0) return "no bound";
  return {};
}

std::string fault_in(std::span<const Node> nodes, std::span<const Member> members, bool, const MemberMisfit& a) {
  if (a.member >= members.size()) return "no such member";
  const Member& m = members[a.member];
  std::vector<Node> seen(nodes.begin(), nodes.end());
  for (std::size_t n = 0; n < seen.size(); ++n) {
    seen[n].usable = seen[n].usable && (m.barred.empty() || !m.barred[n]);
    if (!m.leaf.empty()) seen[n].leaf = m.leaf[n];
  }
  return fault_of(seen, m.gang, scheduler::Answer(a.shortage));
}

// Stops at the largest number.
void add_product(std::int64_t& sum, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(sum, product, &sum))
    sum = std::numeric_limits<std::int64_t>::max();
}

struct Amounts {
  std::int64_t node = 1, gang = 1;
};

Amounts amounts(const Node& n, const Member& m, Line::Unit unit) {
  switch (unit) {
    case Line::Unit::gpus: return {n.gpus, m.gang.gpus};
    case Line::Unit::cpus: return {n.cpus, m.gang.cpus};
    case Line::Unit::memory: return {n.memory, m.gang.memory};
    case Line::Unit::nodes:
    case Line::Unit::places: break;
  }
  return {};
}

// Slots that a pod fills: what it asks for, or, where it is alone, all of its smallest node.
std::int64_t filled(std::span<const Node> nodes, const Member& m, const Line& line) {
  std::int64_t asked = amounts({}, m, line.unit).gang / line.slot;
  if (!m.gang.exclusive || line.unit == Line::Unit::nodes || line.unit == Line::Unit::places) return asked;
  std::optional<std::int64_t> least;
  const std::vector<NodeLeft> empty = all_of(nodes);
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (has_room(nodes[n], empty[n], m, n, false)) {
      const std::int64_t slots = amounts(nodes[n], m, line.unit).node / line.slot;
      least = std::min(least.value_or(slots), slots);
    }
  return std::max(asked, least.value_or(0));
}

// The most of the gangs of which a node has room for a pod each, every set tried.
std::int64_t places(const Node& node, const std::vector<const Member*>& gangs) {
  std::int64_t best = 0;
  for (std::uint32_t set = 0; set < 1U << gangs.size(); ++set) {
    bool within = true;
    for (const Line::Unit unit : {Line::Unit::gpus, Line::Unit::cpus, Line::Unit::memory}) {
      std::int64_t asked = 0;
      for (std::size_t i = 0; i < gangs.size(); ++i)
        if ((set >> i & 1U) != 0) add_product(asked, amounts(node, *gangs[i], unit).gang, 1);
      within = within && asked <= amounts(node, *gangs.front(), unit).node;
    }
    if (within) best = std::max<std::int64_t>(best, std::popcount(set));
  }
  return best;
}

std::string fault_in(std::span<const Node> nodes, std::span<const Member> members, bool apart, const Line& line) {
  if (line.slot <= 0 || line.members.empty()) return "an empty line";
  std::int64_t need = 0, have = 0;
  std::map<std::uint32_t, std::int64_t> weight;
  for (const std::uint32_t m : line.members) {
    if (m >= members.size() || weight.contains(m)) return "no such member, or twice";
    weight[m] = filled(nodes, members[m], line);
    add_product(need, weight[m], members[m].gang.nodes);
  }
  const std::vector<NodeLeft> empty = all_of(nodes);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    std::int64_t most_alone = 0, beside = 0;
    std::vector<const Member*> sharing;
    for (const auto& [m, w] : weight) {
      if (!has_room(nodes[n], empty[n], members[m], n, apart)) continue;
      most_alone = std::max(most_alone, w);
      if (members[m].gang.exclusive) continue;
      add_product(beside, w, 1);
      sharing.push_back(&members[m]);
    }
    if (line.unit == Line::Unit::places && !sharing.empty()) beside = std::min(beside, places(nodes[n], sharing));
    else if (line.unit != Line::Unit::nodes)
      beside = std::min(beside, amounts(nodes[n], members.front(), line.unit).node / line.slot);
    add_product(have, apart ? most_alone : std::max(most_alone, beside), 1);
  }
  if (line.need != need) return "wrong need";
  if (line.have != have) return "wrong have";
  return need > have ? "" : "the line is not violated";
}

std::string fault_in(std::span<const Node>, std::span<const Member>, bool, const GaveUp& g) {
  return g.tried > 0 ? "" : "gave up before trying";
}

}  // namespace

std::optional<std::int64_t> fewest_leaves(std::span<const Node> nodes, std::span<const Member> members, bool apart) {
  GangsSearch search{nodes, members, apart, {}};
  search.member(0, all_of(nodes), {});
  return search.best;
}

std::string fault_of(std::span<const Node> nodes, std::span<const Member> members, bool apart,
                     const scheduler::JointAnswer& answer) {
  return std::visit([&](const auto& a) { return fault_in(nodes, members, apart, a); }, answer);
}

}  // namespace muster::oracles

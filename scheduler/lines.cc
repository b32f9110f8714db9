// The proofs of together.h: slots that gangs fill against slots that nodes give.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "scheduler/apart.h"
#include "scheduler/saturate.h"
#include "scheduler/together.h"
#include "scheduler/transport.h"

namespace muster::scheduler {
namespace {

using Set = std::vector<std::uint32_t>;  // of members, ascending

constexpr std::int64_t few = 8;  // gangs of which every set is asked about

// Nodes that are alike to every member.
struct NodeKind {
  std::size_t example = 0;
  std::int64_t count = 0;
  std::vector<bool> takes;  // by member
};

NodeKind node_kind(const Node& node, std::size_t index, std::span<const Member> members) {
  NodeKind out{index, 0, std::vector<bool>(members.size())};
  for (std::size_t m = 0; m < members.size(); ++m) out.takes[m] = takes(node, members[m], index);
  return out;
}

// Nodes by what is free on them and who is barred from them: each node's kind.
std::vector<NodeKind> kinds_of(std::span<const Node> nodes, std::span<const Member> members,
                               std::vector<std::uint32_t>* kind_of_node = nullptr) {
  std::vector<std::uint32_t> bar(nodes.size(), 0);
  for (const Member& member : members) {
    if (member.barred.empty()) continue;
    std::map<std::pair<std::uint32_t, bool>, std::uint32_t> ids;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      bar[n] = ids.emplace(std::pair{bar[n], member.barred[n]}, static_cast<std::uint32_t>(ids.size())).first->second;
  }
  std::map<std::tuple<std::int32_t, std::int64_t, std::int64_t, std::int32_t, bool, std::uint32_t>, std::uint32_t> ids;
  std::vector<NodeKind> kinds;
  if (kind_of_node != nullptr) kind_of_node->assign(nodes.size(), ~0U);
  auto at = ids.end();  // of the node before, which the next is mostly like
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    if (!node.usable) continue;
    const std::tuple key{node.gpus, node.cpus, node.memory, node.gpus_total, node.untouched, bar[n]};
    bool fresh = false;
    if (at == ids.end() || at->first != key) std::tie(at, fresh) = ids.emplace(key, ids.size());
    if (fresh) kinds.push_back(node_kind(node, n, members));
    ++kinds[at->second].count;
    if (kind_of_node != nullptr) (*kind_of_node)[n] = at->second;
  }
  return kinds;
}

std::int64_t amount(const Node& node, Line::Unit unit) {
  switch (unit) {
    case Line::Unit::gpus: return node.gpus;
    case Line::Unit::cpus: return node.cpus;
    case Line::Unit::memory: return node.memory;
    case Line::Unit::nodes:
    case Line::Unit::places: break;
  }
  return 1;
}

std::int64_t amount(const Gang& gang, Line::Unit unit) {
  switch (unit) {
    case Line::Unit::gpus: return gang.gpus;
    case Line::Unit::cpus: return gang.cpus;
    case Line::Unit::memory: return gang.memory;
    case Line::Unit::nodes:
    case Line::Unit::places: break;
  }
  return 1;
}

bool are_few(std::span<const Member> members) {
  std::int64_t all = 0;
  for (const Member& member : members) all = sum(all, member.count);
  return all <= few;
}

// How many pods of the members, one of each gang, a node has room for by each unit alone, the smallest first.
std::int64_t room_by_units(const Node& node, std::span<const Member> members, const Set& set) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Line::Unit unit : {Line::Unit::gpus, Line::Unit::cpus, Line::Unit::memory}) {
    std::vector<std::pair<std::int64_t, std::int64_t>> asked;  // how much, how often
    for (const std::uint32_t m : set) asked.emplace_back(amount(members[m].gang, unit), members[m].count);
    std::sort(asked.begin(), asked.end());
    std::int64_t left = amount(node, unit), pods = 0;
    for (const auto& [size, count] : asked) {
      const std::int64_t more = size > 0 ? std::min(count, left / size) : count;
      pods = sum(pods, more), left -= more * size;
      if (more < count) break;
    }
    least = std::min(least, pods);
  }
  return least;
}

// The same by all units at once, with every choice of pods tried: each two of three gangs may be kept apart by another
// unit. The members are few.
std::int64_t most_together(const Node& left, std::span<const Member> members, std::span<const std::uint32_t> set) {
  if (set.empty()) return 0;
  const Member& member = members[set.front()];
  std::int64_t most = 0;
  Node node = left;
  for (std::int64_t pods = 0; pods <= member.count; ++pods) {
    most = std::max(most, pods + most_together(node, members, set.subspan(1)));
    if (node.gpus < member.gang.gpus || node.cpus < member.gang.cpus || node.memory < member.gang.memory) break;
    node.gpus -= member.gang.gpus, node.cpus -= member.gang.cpus, node.memory -= member.gang.memory;
  }
  return most;
}

// Of few gangs exact, else no less than there is.
std::int64_t room_for(const Node& node, std::span<const Member> members, const Set& set) {
  std::int64_t pods = 0;
  for (const std::uint32_t m : set) pods = sum(pods, members[m].count);
  return pods <= few ? most_together(node, members, set) : room_by_units(node, members, set);
}

// Slots of one size, for every node kind and member.
class Slots {
 public:
  Slots(std::span<const Node> nodes, const std::vector<NodeKind>& kinds, std::span<const Member> members,
        Line::Unit unit, std::int64_t slot, bool apart)
      : nodes_(nodes),
        kinds_(kinds),
        members_(members),
        apart_(apart),
        counts_nodes_(unit == Line::Unit::nodes || unit == Line::Unit::places),
        counts_room_(unit == Line::Unit::places) {
    for (const NodeKind& kind : kinds) free_.push_back(amount(nodes[kind.example], unit) / slot);
    for (std::size_t m = 0; m < members.size(); ++m) {
      std::int64_t weight = amount(members[m].gang, unit) / slot;
      // Who has a node for itself fills what the smallest of its nodes has.
      if (members[m].gang.exclusive && !counts_nodes_) weight = std::max(weight, smallest(m));
      weight_.push_back(weight);
    }
  }

  // Slots that the members' pods fill in all.
  std::int64_t need(const Set& set) const {
    std::int64_t out = 0;
    for (const std::uint32_t m : set)
      out = sum(out, product(members_[m].count, product(weight_[m], members_[m].gang.nodes)));
    return out;
  }

  // Slots of one node of the kind that they can fill.
  std::int64_t give(std::size_t kind, const Set& set) const {
    std::int64_t shared = 0, single = 0;
    Set sharing;
    for (const std::uint32_t m : set) {
      if (!kinds_[kind].takes[m]) continue;
      single = std::max(single, weight_[m]);
      if (members_[m].gang.exclusive) continue;
      shared = sum(shared, product(members_[m].count, weight_[m]));
      sharing.push_back(m);
    }
    if (counts_room_ && shared > 1)
      shared = std::min(shared, room_for(nodes_[kinds_[kind].example], members_, sharing));
    return given(kind, single, shared);
  }

  std::int64_t have(const Set& set) const {
    std::int64_t out = 0;
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
      out = sum(out, product(kinds_[kind].count, give(kind, set)));
    return out;
  }

  // Slots of members that are added one after the other.
  class Sum {
   public:
    explicit Sum(const Slots& slots)
        : slots_(slots), shared_(slots.kinds_.size(), 0), single_(slots.kinds_.size(), 0) {}

    void add(std::uint32_t m) {
      const Member& member = slots_.members_[m];
      const std::int64_t weight = slots_.weight_[m], all = product(member.count, weight);
      need_ = sum(need_, product(all, member.gang.nodes));
      for (std::size_t kind = 0; kind < shared_.size(); ++kind) {
        if (!slots_.kinds_[kind].takes[m]) continue;
        single_[kind] = std::max(single_[kind], weight);
        if (!member.gang.exclusive) shared_[kind] = sum(shared_[kind], all);
      }
    }

    std::int64_t need() const { return need_; }
    std::int64_t have() const {
      std::int64_t out = 0;
      for (std::size_t kind = 0; kind < shared_.size(); ++kind)
        out = sum(out, product(slots_.kinds_[kind].count, slots_.given(kind, single_[kind], shared_[kind])));
      return out;
    }

   private:
    const Slots& slots_;
    std::int64_t need_ = 0;
    std::vector<std::int64_t> shared_, single_;  // by kind of nodes
  };

  // Whether no node has room for a pod of each of the gangs that share nodes.
  bool crowd(const Set& set) const {
    std::int64_t all = 0;
    for (const std::uint32_t m : set) all = sum(all, members_[m].count);
    bool out = counts_room_;
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) out = out && give(kind, set) < all;
    return out;
  }

  bool weighs(std::uint32_t member) const { return weight_[member] > 0; }

 private:
  // What a node gives to members of which the largest weighs `single` and those that share it weigh `shared` in all.
  std::int64_t given(std::size_t kind, std::int64_t single, std::int64_t shared) const {
    return apart_ ? single : std::max(single, counts_nodes_ ? shared : std::min(shared, free_[kind]));
  }

  std::int64_t smallest(std::size_t member) const {
    std::int64_t least = 0;
    bool any = false;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      if (!kinds_[k].takes[member] || (any && free_[k] >= least)) continue;
      least = free_[k];
      any = true;
    }
    return least;
  }

  std::span<const Node> nodes_;
  const std::vector<NodeKind>& kinds_;
  std::span<const Member> members_;
  bool apart_, counts_nodes_, counts_room_;
  std::vector<std::int64_t> free_, weight_;
};

// The sizes that members ask for, largest first; no more than `most`.
std::vector<std::int64_t> sizes(std::span<const Member> members, Line::Unit unit) {
  constexpr std::size_t most = 16;
  std::vector<std::int64_t> out;
  for (const Member& member : members)
    if (const std::int64_t size = amount(member.gang, unit); size > 0) out.push_back(size);
  std::sort(out.rbegin(), out.rend());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (out.size() > most) out.resize(most);
  return out;
}

// Sets worth asking about: every one of eight members; of more, all of them.
std::vector<Set> sets_of(std::span<const Member> members) {
  std::vector<Set> out;
  if (are_few(members)) {
    for (std::uint32_t mask = (1U << members.size()) - 1; mask > 0; --mask) {
      out.emplace_back();
      for (std::uint32_t m = 0; m < members.size(); ++m)
        if ((mask >> m & 1U) != 0) out.back().push_back(m);
    }
    return out;
  }
  out.emplace_back(members.size());
  std::iota(out.back().begin(), out.back().end(), 0U);
  return out;
}

// Of more than eight, those besides that one of them leaves when what is smaller is set aside: members by falling size
// in one unit, and how many of them are in each such set.
struct Falling {
  Set members;
  std::vector<std::size_t> ends;
};

std::vector<Falling> falling_sets(std::span<const Member> members) {
  std::vector<Falling> out;
  for (const Line::Unit unit : {Line::Unit::gpus, Line::Unit::cpus, Line::Unit::memory}) {
    const std::vector<std::int64_t> asked = sizes(members, unit);
    if (asked.empty()) continue;
    Falling& falling = out.emplace_back();
    const auto size = [&](std::uint32_t m) { return amount(members[m].gang, unit); };
    for (std::uint32_t m = 0; m < members.size(); ++m)
      if (size(m) >= asked.back()) falling.members.push_back(m);
    std::stable_sort(falling.members.begin(), falling.members.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return size(a) > size(b); });
    for (std::size_t n = 1; n <= falling.members.size(); ++n)
      if (n == falling.members.size() || size(falling.members[n]) < size(falling.members[n - 1]))
        falling.ends.push_back(n);
  }
  return out;
}

// Nodes of each kind to each member; nullopt: there are too many kinds.
std::optional<Transport> share_kinds(const std::vector<NodeKind>& kinds, std::span<const Member> members) {
  constexpr std::size_t most = 200'000;
  if (kinds.size() * members.size() > most) return std::nullopt;
  std::vector<std::int64_t> need, have;
  std::vector<std::vector<bool>> takes;
  std::int64_t sum = 0;
  for (const Member& member : members) {
    need.push_back(product(member.count, std::max<std::int64_t>(member.gang.nodes, 0)));
    if (__builtin_add_overflow(sum, need.back(), &sum)) return std::nullopt;
  }
  for (const NodeKind& kind : kinds) {
    have.push_back(kind.count);
    takes.push_back(kind.takes);
  }
  return share_nodes(need, have, takes);
}

// Members that need more nodes than are open to any of them, each pod on a node of its own; empty: there are none, or
// too many kinds of nodes.
Set too_many_of(const std::vector<NodeKind>& kinds, std::span<const Member> members) {
  std::optional<Transport> shares = share_kinds(kinds, members);
  return shares ? std::move(shares->too_many) : Set{};
}

constexpr Line::Unit units[] = {Line::Unit::nodes, Line::Unit::gpus, Line::Unit::cpus, Line::Unit::memory,
                                Line::Unit::places};

template <class Visit>
void each_slot_size(std::span<const Node> nodes, const std::vector<NodeKind>& kinds, std::span<const Member> members,
                    bool apart, Visit visit) {
  for (const Line::Unit unit : units) {
    const bool whole = unit == Line::Unit::nodes || unit == Line::Unit::places;
    // Where no nodes are shared they are the places; of many gangs no node is asked what it has room for.
    if (unit == Line::Unit::places && (has_own_nodes(members, apart) || !are_few(members))) continue;
    for (const std::int64_t slot : whole ? std::vector<std::int64_t>{1} : sizes(members, unit)) {
      visit(unit, slot, Slots(nodes, kinds, members, unit, slot, apart));
    }
  }
}

}  // namespace

bool takes(const Node& node, const Member& member, std::size_t index) {
  const Gang& gang = member.gang;
  return node.usable && (member.barred.empty() || !member.barred[index]) && node.gpus >= gang.gpus &&
         node.cpus >= gang.cpus && node.memory >= gang.memory && (node.untouched || !gang.exclusive);
}

bool has_own_nodes(std::span<const Member> members, bool apart) {
  return std::all_of(members.begin(), members.end(), [&](const Member& member) {
    return (apart || member.gang.exclusive) && member.gang.segment <= 1 && !member.gang.one_leaf;
  });
}

std::optional<std::vector<Placement>> place_apart(std::span<const Node> nodes, std::span<const Member> members) {
  std::vector<std::uint32_t> kind_of_node;
  std::optional<Transport> shares = share_kinds(kinds_of(nodes, members, &kind_of_node), members);
  if (!shares || !shares->too_many.empty()) return std::nullopt;
  std::vector<Placement> out(members.size());
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    for (std::size_t m = 0; m < members.size() && kind_of_node[n] != ~0U; ++m) {
      std::int64_t& left = shares->given[m][kind_of_node[n]];
      if (left == 0) continue;
      --left;
      out[m].nodes.push_back(n);
      break;
    }
  for (Placement& placement : out)
    std::sort(placement.nodes.begin(), placement.nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair{nodes[a].leaf, a} < std::pair{nodes[b].leaf, b};
    });
  return out;
}

namespace {

// The first of the sets that fills more slots than there are; empty: none does.
Set overfull(const Slots& slots, const std::vector<Set>& sets, std::span<const Falling> families, std::size_t most) {
  for (const Set& set : sets)
    if (slots.need(set) > slots.have(set)) return set;
  for (const Falling& falling : families) {
    Slots::Sum filled(slots);
    std::size_t added = 0;
    for (const std::size_t end : falling.ends) {
      if (most-- == 0) return {};
      while (added < end) filled.add(falling.members[added++]);
      if (filled.need() <= filled.have()) continue;
      Set out(falling.members.begin(), falling.members.begin() + static_cast<std::ptrdiff_t>(end));
      std::sort(out.begin(), out.end());
      return out;
    }
  }
  return {};
}

Line line_of(std::span<const Node> nodes, const std::vector<NodeKind>& kinds, std::span<const Member> members,
             bool apart) {
  Line found;
  std::vector<Set> sets = sets_of(members);
  const std::vector<Falling> falling = sets.size() == 1 ? falling_sets(members) : std::vector<Falling>{};
  // Kinds of nodes are few in practice; where every node is of its own kind, fewer sets are asked.
  constexpr std::size_t work = 40'000'000;
  const std::size_t most = work / (kinds.size() * members.size() * 50 + 1);
  sets.resize(std::min(sets.size(), most + 1));
  if (has_own_nodes(members, apart))
    if (Set set = too_many_of(kinds, members); !set.empty()) sets.insert(sets.begin(), std::move(set));
  each_slot_size(nodes, kinds, members, apart, [&](Line::Unit unit, std::int64_t slot, const Slots& slots) {
    if (found.need > found.have) return;
    const Set set = overfull(slots, sets, falling, most);
    if (set.empty()) return;
    found = {unit, slot, {}, slots.need(set)};
    for (const std::uint32_t m : set)
      if (slots.weighs(m)) found.members.push_back(m);
    found.have = slots.have(found.members);
    found.crowded = slots.crowd(found.members);
  });
  return found;
}

}  // namespace

Line find_line(std::span<const Node> nodes, std::span<const Member> members, bool apart) {
  return line_of(nodes, kinds_of(nodes, members), members, apart);
}

Line find_line(const Inventory& stock, std::span<const Member> members, bool apart) {
  if (std::any_of(members.begin(), members.end(), [](const Member& m) { return !m.barred.empty(); }))
    return find_line(stock.nodes(), members, apart);
  std::vector<Node> samples;
  std::vector<NodeKind> kinds;
  for (const Inventory::Kind& kind : stock.kinds()) {
    if (kind.nodes == 0 || !kind.sample.usable) continue;
    kinds.push_back(node_kind(kind.sample, samples.size(), members));
    kinds.back().count = kind.nodes;
    samples.push_back(kind.sample);
  }
  return line_of(samples, kinds, members, apart);
}

std::int64_t fewest_leaves_bound(std::span<const Node> nodes, std::span<const Member> members, bool apart) {
  std::vector<std::uint32_t> kind_of_node;
  const std::vector<NodeKind> kinds = kinds_of(nodes, members, &kind_of_node);
  std::uint32_t leaves = 0;
  for (const Node& node : nodes) leaves = std::max(leaves, node.leaf + 1);
  Set all(members.size());
  std::iota(all.begin(), all.end(), 0U);
  std::int64_t bound = 0;
  each_slot_size(nodes, kinds, members, apart, [&](Line::Unit, std::int64_t, const Slots& slots) {
    std::vector<std::int64_t> give(kinds.size()), by_leaf(leaves, 0);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) give[kind] = slots.give(kind, all);
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (kind_of_node[n] != ~0U) by_leaf[nodes[n].leaf] = sum(by_leaf[nodes[n].leaf], give[kind_of_node[n]]);
    std::sort(by_leaf.rbegin(), by_leaf.rend());
    std::int64_t left = slots.need(all), k = 0;
    for (; left > 0 && k < static_cast<std::int64_t>(leaves); ++k) left -= by_leaf[static_cast<std::size_t>(k)];
    bound = std::max(bound, k);
  });
  return bound;
}

}  // namespace muster::scheduler

// Several gangs at once on the nodes of one pool: a placement of all, a proof that there is none, or neither.
//
// Two pods of one gang never share a node; pods of different gangs may, unless they are to be apart.
//
// Proof used (T3 and T7): cut what a node has into slots of one size. A pod fills at least its own size in
// whole slots, a node gives no more than its free slots, nor more than its possible pods fill. If the
// gangs of some set fill more slots than the nodes give that any of them can use, there is no placement: a
// sum that a person checks. Or the pods are more than the places on nodes: of few gangs a node has as many
// as are within its GPUs, its CPUs and its memory together, every choice tried; of many as are within each
// alone, the smallest first. With one GPU size a chain of divisors it is exact; else it may miss a "no".
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "scheduler/gang.h"
#include "scheduler/inventory.h"

namespace muster::scheduler {

struct Member {
  Gang gang;
  std::vector<bool> barred{};         // by node: it may not use it; empty: all are open
  std::vector<std::uint32_t> leaf{};  // by node: the domains its segments lie in; empty: the nodes' leaves
  std::int64_t count = 1;             // gangs like it, which find_line() counts; others place one
};

// All of them, each as place_gang() words it (leaves and lower_bound are those of the gang alone).
struct Together {
  std::vector<Placement> placements;
  std::int64_t leaves = 0;  // used by all
  std::int64_t lower_bound = 0;
};

// One gang does not fit even alone.
struct MemberMisfit {
  std::uint32_t member = 0;
  Shortage shortage;
};

// The members fill `need` slots of `slot` units; the nodes that any of them can use give `have`.
struct Line {
  enum class Unit : std::uint8_t { nodes, gpus, cpus, memory, places } unit = Unit::nodes;
  std::int64_t slot = 1;
  std::vector<std::uint32_t> members;  // ascending
  std::int64_t need = 0;
  std::int64_t have = 0;
  bool crowded = false;  // of places: no node has room for a pod of each
};

// Neither a placement nor a proof was found.
struct GaveUp {
  std::int64_t tried = 0;  // orders and ways
};

using JointAnswer = std::variant<Together, MemberMisfit, Line, GaveUp>;

struct JointOptions {
  bool apart = false;       // no two pods share a node
  std::int64_t tries = 64;  // placements of all that are attempted at most
};

// Deterministic. O(tries · members · nodes), and for the proof O(subsets · sizes · kinds of nodes), bounded.
JointAnswer place_together(std::span<const Node> nodes, std::span<const Member> members,
                           const JointOptions& options = {});

// Whether a pod of the member can be on the node as it is.
bool takes(const Node& node, const Member& member, std::size_t index);

// The line that shows that there is no placement; one with need <= have if none was found.
Line find_line(std::span<const Node> nodes, std::span<const Member> members, bool apart);

// The same on the nodes of an inventory: at the cost of its kinds of nodes where all are open to every member.
Line find_line(const Inventory& stock, std::span<const Member> members, bool apart);

// Leaves that no placement of all can go below.
std::int64_t fewest_leaves_bound(std::span<const Node> nodes, std::span<const Member> members, bool apart);

}  // namespace muster::scheduler

// The nodes of a pool while gangs take them and give them back: place_gang() for many gangs, each at the cost of what
// it takes and not of what there is.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "scheduler/gang.h"
#include "scheduler/leaf_counts.h"

namespace muster::scheduler {

class Inventory {
 public:
  Inventory() = default;
  // `spine_of_leaf` as place_gang() takes it.
  explicit Inventory(std::vector<Node> nodes, std::vector<std::uint32_t> spine_of_leaf = {});

  std::span<const Node> nodes() const { return nodes_; }
  std::span<const std::uint32_t> spine_of_leaf() const { return spine_of_leaf_; }

  // What place_gang() answers on nodes(). The first gang whose pods the same kinds of nodes take costs O(nodes), one of
  // another shape O(kinds); the next ones O(nodes of the leaves used / 64 + nodes taken), and O(leaves) where they ask
  // for segments or lie below several spines. Counts are kept for the next gang, so two threads must not ask one
  // inventory at once.
  Answer place(const Gang& gang) const;

  // The node as it is now. Its leaf stays. O(shapes of pods that were asked for last).
  void set(std::uint32_t index, const Node& now);

  // Nodes that differ in nothing but their leaf.
  struct Kind {
    Node sample;
    std::int64_t nodes = 0;
  };
  std::span<const Kind> kinds() const { return kinds_; }

  // By leaf: how many of its nodes are of which kind. Counted at the first call and kept from then on.
  struct KindCount {
    std::uint32_t kind = 0;
    std::int64_t nodes = 0;
  };
  const std::vector<std::vector<KindCount>>& kinds_by_leaf() const;
  // The nodes of a leaf, ascending, and what kind a node is of.
  std::span<const std::uint32_t> nodes_of_leaf(std::uint32_t leaf) const;
  std::uint32_t kind_of_node(std::uint32_t node) const { return kind_of_node_[node]; }

 private:
  using Key = std::tuple<std::int32_t, std::int32_t, std::int64_t, std::int64_t, bool, bool>;

  // The nodes as pods of one shape find them.
  struct View {
    Gang pod;                                      // of this shape; how many is not asked
    std::vector<std::uint8_t> fits;                // by kind
    std::vector<std::uint64_t> open;               // places that take a pod, 64 a word
    std::map<std::int32_t, std::int64_t> by_gpus;  // how many such places have so many free GPUs; none has 0
    LeafCounts leaves;
  };

  std::uint32_t kind_of(const Node& node);
  View& view_of(const Gang& gang) const;
  View make_view(const Gang& gang, std::vector<std::uint8_t> fits) const;
  std::vector<std::uint8_t> kinds_that_take(const Gang& gang) const;
  bool answers_for(const View& view, const std::vector<std::uint8_t>& fits) const;
  void change(View& view, std::uint32_t place, std::uint32_t kind, bool opens) const;
  Answer place_by_census(const Gang& gang, const View& view) const;
  void take_from(const View& view, const LeafShare& share, bool alike, std::vector<std::uint32_t>& out) const;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> kind_of_node_;
  std::vector<Kind> kinds_;
  std::map<Key, std::uint32_t> numbers_;  // of the kinds
  std::uint32_t last_kind_ = 0;           // that was looked up
  std::vector<std::uint32_t> spine_of_leaf_;
  std::vector<std::uint32_t> first_place_;                    // of a leaf; one more than there are leaves
  std::vector<std::uint32_t> node_at_place_, place_of_node_;  // by leaf, then by number
  mutable std::vector<View> views_;                           // the shapes that were asked for last, oldest first
  mutable std::vector<std::vector<KindCount>> by_leaf_;       // empty: not asked for yet
};

}  // namespace muster::scheduler

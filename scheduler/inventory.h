// The nodes of a pool, counted by leaf and by what is free on them: place_gang() for many gangs, each at the
// cost of the leaves and of the nodes it takes. Where Fleet counts units alone, CPUs, memory and states count here.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "scheduler/gang.h"

namespace muster::scheduler {

class Inventory {
 public:
  Inventory() = default;
  // `spine_of_leaf` as place_gang() takes it.
  explicit Inventory(std::vector<Node> nodes, std::vector<std::uint32_t> spine_of_leaf = {});

  std::span<const Node> nodes() const { return nodes_; }
  std::span<const std::uint32_t> spine_of_leaf() const { return spine_of_leaf_; }

  // What place_gang() answers on nodes(). O(leaves · kinds of nodes in one + nodes of the leaves used).
  Answer place(const Gang& gang) const;

  // The node as it is now. Its leaf stays.
  void set(std::uint32_t index, Node now);

  // Nodes that differ in nothing but their leaf.
  struct Kind {
    Node sample;
    std::int64_t nodes = 0;
  };
  std::span<const Kind> kinds() const { return kinds_; }

 private:
  struct Share {
    std::uint32_t kind = 0;
    std::int64_t nodes = 0;
  };
  using Key = std::tuple<std::int32_t, std::int32_t, std::int64_t, std::int64_t, bool, bool>;

  std::uint32_t kind_of(const Node& node);
  void count(std::uint32_t leaf, std::uint32_t kind, std::int64_t more);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> kind_of_node_;
  std::vector<Kind> kinds_;
  std::map<Key, std::uint32_t> numbers_;  // of the kinds
  std::vector<std::uint32_t> spine_of_leaf_;
  std::vector<std::vector<Share>> leaves_;          // the kinds that each has
  std::vector<std::vector<std::uint32_t>> places_;  // its nodes, ascending
};

}  // namespace muster::scheduler

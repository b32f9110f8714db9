// A fleet that gangs come to and leave: it keeps what is free by leaf, so that a placement costs what it
// takes and not what there is. The standard library only.
//
// Theorem used (T1, gang.h): the leaves with most to give are the fewest. The last leaf is the tightest
// that holds the rest, which keeps that number.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scheduler/leaf_index.h"

namespace muster::scheduler {

// `nodes` pods, each on a node of its own with `units` free ones. A unit is a GPU; where only whole nodes are
// given out, the node.
struct Ask {
  std::uint32_t nodes = 1;
  std::uint32_t units = 1;
  std::uint32_t segment = 1;  // every `segment` nodes lie in one leaf; divides `nodes`
  bool one_leaf = false;      // all in one leaf
};

// What a gang holds; it is the key to give it back.
struct Lease {
  struct Piece {
    std::uint32_t word = 0;  // of 64 places
    std::uint32_t nodes = 0;
    std::uint64_t mask = 0;
    bool operator==(const Piece&) const = default;
  };
  std::vector<Piece> pieces;
  std::uint32_t units = 0;
  std::uint32_t leaves = 0;  // used; no placement on this fleet at that time uses fewer
};

class Fleet {
 public:
  static constexpr std::uint32_t most_units = 64;

  // A node a number: its leaf switch, numbered from 0 without great gaps. All have `units` (1 to most_units), all free.
  Fleet(std::span<const std::uint32_t> leaf_of_node, std::uint32_t units);

  // Places the gang on the fewest leaves, there on the nodes with the fewest free units, then on the lowest
  // places. False: it does not fit, `lease` is empty and nothing is changed.
  bool place(const Ask& ask, Lease& lease);

  // Gives back what place() gave and was not given back yet.
  void release(const Lease& lease);

  // Takes units of one node, as far as they are free; returns how many. What is drained is taken whole.
  std::uint32_t take(std::uint32_t node, std::uint32_t units);

  // The nodes of a lease, ascending.
  std::vector<std::uint32_t> nodes_of(const Lease& lease) const;

  // Nodes with so many free units: of the fleet, and of the leaf with most.
  std::uint64_t nodes_with(std::uint32_t units) const { return total_[units - 1]; }
  std::uint32_t fullest_leaf(std::uint32_t units) const { return index_[units - 1].fullest(); }
  // Segments of `segment` such nodes, each inside one leaf.
  std::uint64_t segments_with(std::uint32_t units, std::uint32_t segment) const;
  std::uint32_t free_units(std::uint32_t node) const;

  bool operator==(const Fleet&) const = default;

 private:
  bool fits(const Ask& ask) const;
  std::uint64_t exactly(std::uint32_t units, std::uint32_t word) const;
  void take_from(std::uint32_t leaf, std::uint32_t nodes, Lease& lease);
  void free_up(const Lease::Piece& piece, std::uint32_t low, std::uint32_t high);
  void take_up(const Lease::Piece& piece, std::uint32_t low, std::uint32_t high);
  void count(std::uint32_t leaf, std::uint32_t level, std::int64_t more);

  std::uint32_t units_ = 0, words_ = 0, leaves_ = 0;
  std::vector<std::uint32_t> first_word_;    // of a leaf; one more than there are leaves
  std::vector<std::uint32_t> leaf_of_word_;  // leaves by falling size
  std::vector<std::uint32_t> node_of_place_, place_of_node_;
  std::vector<std::uint64_t> free_;   // [level][word]: places with more than `level` free units
  std::vector<std::uint32_t> count_;  // [level][leaf]: how many such
  std::vector<std::uint64_t> total_;  // [level]
  std::vector<LeafIndex> index_;      // [level]
  std::vector<std::pair<std::uint32_t, std::uint32_t>> hidden_;  // leaf and nodes, while a gang is placed
};

}  // namespace muster::scheduler

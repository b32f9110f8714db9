// Exact fit of one gang of alike pods, one a node, on a declared fleet. The standard library only.
//
// Theorem used (T1): with one number a domain, the nodes of it that take a pod, a gang of N fits iff
// the sum is at least N, fits one domain iff the largest number is, and needs at least the smallest
// k whose k largest numbers sum to N. Taking the k largest is therefore optimal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace muster::scheduler {

// What is free on a node. Nodes of one leaf switch bear one leaf number; leaves are numbered from 0.
struct Node {
  std::uint32_t leaf = 0;
  std::int32_t gpus = 0;  // free
  std::int32_t gpus_total = 0;
  std::int64_t cpus = 0;    // free
  std::int64_t memory = 0;  // free, bytes
  bool usable = true;       // false: drained, spare or excluded
  bool untouched = true;    // nothing runs on it
};

// `nodes` pods of this shape, each on a node of its own.
struct Gang {
  std::int64_t nodes = 1;
  std::int32_t gpus = 0;
  std::int64_t cpus = 0;
  std::int64_t memory = 0;
  bool exclusive = false;    // only nodes on which nothing runs
  std::int64_t segment = 1;  // every `segment` nodes lie in one leaf; divides `nodes`
  bool one_leaf = false;     // all in one leaf
};

struct Placement {
  std::vector<std::uint32_t> nodes;  // indices, ascending by leaf and then by node
  std::int64_t leaves = 0;           // used
  std::int64_t lower_bound = 0;      // no placement uses fewer; equal to `leaves` here
  std::int64_t spines = 0;           // that the leaves lie below; 0: not given
  std::int64_t spine_bound = 0;      // no placement on as many leaves lies below fewer
  bool operator==(const Placement&) const = default;
};

// Why not, in numbers: which nodes were counted as what. The counts sum to the nodes given.
struct Shortage {
  enum class Kind { nodes, segments, one_leaf } kind = Kind::nodes;
  std::int64_t need = 0;          // nodes or, for segments, segments
  std::int64_t have = 0;          // the same unit; for one_leaf the nodes of the best leaf
  std::int64_t fit = 0;           // nodes that take a pod
  std::int64_t unusable = 0;      // drained, spare, excluded
  std::int64_t busy = 0;          // nothing free that the pod needs
  std::int64_t partial = 0;       // some GPUs free, too few
  std::int32_t partial_gpus = 0;  // the most free GPUs on such a node
  std::int64_t too_small = 0;     // never fits, even empty (GPUs in all, CPUs or memory)
  bool operator==(const Shortage&) const = default;
};

using Answer = std::variant<Placement, Shortage>;

// O(nodes). Deterministic: fewest leaves, then below the fewest spines (scheduler/spines.h), then the tightest last
// leaf, then the lowest numbers. `spine_of_leaf` is by leaf; empty: not known.
Answer place_gang(std::span<const Node> nodes, const Gang& gang, std::span<const std::uint32_t> spine_of_leaf = {});

}  // namespace muster::scheduler

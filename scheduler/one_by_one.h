// Pods of several shapes that are placed one after the other, each on any node with room for it. All may fit together,
// and still the small ones end where a large one then finds no node.
//
// Bound used: pods of one shape never hinder each other, since a node has room for one less after each. What the pods
// of other shapes take on a node costs room for a certain number of pods; the best ratio of that loss to how many
// they are, times all of them, is the most that they cost anywhere. A shape with so much room to spare is safe.
#pragma once

#include <cstdint>
#include <span>

#include "scheduler/gang.h"
#include "scheduler/inventory.h"

namespace muster::scheduler {

// Pods that are alike.
struct Batch {
  Gang pod;                    // `nodes` of this shape
  std::int64_t on_a_node = 1;  // most of them on one node
};

// How many pods of the batch the node has room for; 0 to as many as there are.
std::int64_t room(const Node& node, const Batch& batch);

// Whether all pods of `mine` find a node, in whatever order they and the others are placed and wherever each goes.
// `nodes` are those that are open to `mine`; others may have more. True is a proof; false may be too careful, and is
// said where counting would take more than a million steps. O(nodes' kinds · pods of the others on a node · others).
bool any_order_works(std::span<const Inventory::Kind> nodes, const Batch& mine, std::span<const Batch> others);

}  // namespace muster::scheduler

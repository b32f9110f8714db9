// Checks answers of scheduler/packing by hand: only its plain structs are used, none of its code.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scheduler/packing.h"

namespace muster::oracles {

// The most pods that find a place, over all ways to put them on nodes, GPUs and places. Exponential: three nodes of
// two GPUs and six pods at most.
std::int64_t most_pods(std::span<const scheduler::PackNode> nodes, const scheduler::Cut& cut,
                       std::span<const scheduler::PodGang> gangs);

// "" if every number of the answer can be read off the nodes, else what is wrong. Polynomial but for `Exhausted`, which
// it counts again.
std::string fault_of(std::span<const scheduler::PackNode> nodes, const scheduler::Cut& cut,
                     std::span<const scheduler::PodGang> gangs, const scheduler::PackAnswer& answer);

// The fewest spines above any leaves that hold the pods of one gang, on as few leaves as can be. Nine leaves at most.
std::int64_t fewest_spines(std::span<const scheduler::PackNode> nodes, const scheduler::Cut& cut,
                           const scheduler::PodGang& gang, std::span<const std::uint32_t> spine_of_leaf);

}  // namespace muster::oracles

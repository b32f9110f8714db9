// Checks answers of scheduler/gang by brute force: only its plain structs are used, none of its code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "scheduler/gang.h"

namespace muster::oracles {

// The fewest leaves of any placement, over all ways to share the gang out; nullopt: there is none.
// Exponential in the leaves: nine at most.
std::optional<std::int64_t> fewest_leaves(std::span<const scheduler::Node> nodes, const scheduler::Gang& gang);

// The fewest spines above any `leaves` leaves that hold the gang, over all sets of leaves; such leaves there must be.
std::int64_t fewest_spines(std::span<const scheduler::Node> nodes, const scheduler::Gang& gang,
                           std::span<const std::uint32_t> spine_of_leaf, std::int64_t leaves);

// "" if the answer is true in every number, else what is wrong with it. Spines are counted where they are given.
std::string fault_of(std::span<const scheduler::Node> nodes, const scheduler::Gang& gang,
                     const scheduler::Answer& answer, std::span<const std::uint32_t> spine_of_leaf = {});

}  // namespace muster::oracles

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

// "" if the answer is true in every number, else what is wrong with it.
std::string fault_of(std::span<const scheduler::Node> nodes, const scheduler::Gang& gang,
                     const scheduler::Answer& answer);

}  // namespace muster::oracles

// Checks answers of scheduler/together by hand: only its plain structs are used, none of its code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "scheduler/together.h"

namespace muster::oracles {

// Of all ways to place the members: the fewest leaves in use; nullopt: there is no way. Exponential: eight
// nodes and three members at most.
std::optional<std::int64_t> fewest_leaves(std::span<const scheduler::Node> nodes,
                                          std::span<const scheduler::Member> members, bool apart);

// "" if every number of the answer can be read off the nodes, else what is wrong. Polynomial: it does not
// search, so that it checks fleets of any size. Of a bound it checks only that nothing goes below.
std::string fault_of(std::span<const scheduler::Node> nodes, std::span<const scheduler::Member> members, bool apart,
                     const scheduler::JointAnswer& answer);

}  // namespace muster::oracles

// What an integer programming solver (glpsol) says of gangs together, for sizes that brute force cannot do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "scheduler/together.h"

namespace muster::oracles {

bool have_solver();

struct Solved {
  bool decided = false;                // false: the solver ran out of time
  std::optional<std::int64_t> fewest;  // leaves; nullopt: there is no placement
};

// Members without segments and without domains of their own. `folder` takes the solver's files.
Solved solve(std::span<const scheduler::Node> nodes, std::span<const scheduler::Member> members, bool apart,
             const std::string& folder);

}  // namespace muster::oracles

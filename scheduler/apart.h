// Gangs together where every pod has a node for itself: exact for any number of them (scheduler/transport.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/together.h"

namespace muster::scheduler {

// Whether that is so: `apart`, or all are exclusive, and no gang asks for domains.
bool has_own_nodes(std::span<const Member> members, bool apart);

// The placement of all, of members for which has_own_nodes() holds; nullopt: there is none, or the nodes are of more
// kinds than are worked through.
std::optional<std::vector<Placement>> place_apart(std::span<const Node> nodes, std::span<const Member> members);

}  // namespace muster::scheduler

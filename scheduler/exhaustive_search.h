// Pods packed in every way there is. Inside scheduler only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/stall.h"

namespace muster::scheduler {

struct SearchResult {
  bool all_placed = false;               // then `seats` are theirs
  bool complete = false;                 // no way is left out: `most` of the `pods` is the most that find a place
  std::vector<std::vector<Seat>> seats;  // by gang
  std::int64_t pods = 0, most = 0, branches = 0;
};

// Gangs in the order given. Nodes and GPUs that are alike are tried once. Gives up after `most_branches`, and at once
// where pods are more than 64.
SearchResult search_exhaustively(const Stalls& start, std::span<const std::uint32_t> order, std::int64_t most_branches);

}  // namespace muster::scheduler

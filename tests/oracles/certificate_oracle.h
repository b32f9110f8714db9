// Checks certificates of limits by hand: quotas, what a queue allows, and nodes that are too small. Of plan only its
// result types are used, none of its code.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace muster::oracles {

// What was asked of one pool. The workload has one role, which starts once and says whole amounts or nothing.
struct Asked {
  const model::Workload& workload;
  const model::Pool& pool;                // that was chosen
  const model::Queue* queue = nullptr;    // nullptr: none
  const model::Tenant* tenant = nullptr;  // nullptr: none
};

// A limit that what was asked is over, and the words that a person needs to find it.
struct Broken {
  std::string kind;
  std::int64_t need = 0, have = 0;
  std::vector<std::string> words;
};

// All of them, of the pool's nodes and of those who allow.
std::vector<Broken> broken_limits(const Asked& asked);

// "" if one of the broken limits is what the certificate says, in its numbers and in its words.
std::string fault_of(const Asked& asked, const plan::Certificate& certificate);

}  // namespace muster::oracles

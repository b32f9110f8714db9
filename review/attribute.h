// What made the difference, the facts or the policy, and what would undo it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "review/compare.h"

namespace muster::review {

// The answers of the two crossings of a changed workload: nullopt where it could not be evaluated.
struct Crossing {
  std::string id, site;
  std::optional<Workload> new_facts_old_policy, old_facts_new_policy;
  std::vector<Flip> flips;
  bool asked = false;                      // false: there are no crossings, as only one of facts and policy differs
  std::optional<PolicyChange> own_policy;  // of a file that declares its site: what would be different in that
};

// Labels the changed items with what made the difference, and adds what would undo it. A policy that a file brings with
// it is among those that changed where that made a difference.
void attribute(Review& review, const std::vector<Crossing>& crossings);

}  // namespace muster::review

#include "targets/kubernetes/lift/ledger.h"

#include <algorithm>

namespace muster::targets::kubernetes::lifting {

bool Ledger::has_below(const data::Node& node) const {
  if (has(node)) return true;
  return std::any_of(node.items.begin(), node.items.end(), [&](const data::Node& i) { return has_below(i); }) ||
         std::any_of(node.members.begin(), node.members.end(),
                     [&](const data::Member& m) { return has_below(m.value); });
}

}  // namespace muster::targets::kubernetes::lifting
